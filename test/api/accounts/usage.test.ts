import { describe, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { expectCommonRules, HELLO, HELLO_DIGEST, provision } from "../../support/server/scenario.ts";
import { populate } from "../../support/server/world.ts";
import { callerWith } from "../../support/server/services-drive.ts";

interface Usage {
  readonly storage: { used: number; limit: number | null };
  readonly versions: { used: number; limit: number | null };
  readonly operations: { used: number; limit: number | null };
  readonly bandwidth: { used: number; limit: number | null };
  readonly period: { start: string; end: string };
}

const JANUARY = { start: "2030-01-01T00:00:00.000Z", end: "2030-02-01T00:00:00.000Z" };
const FEBRUARY = { start: "2030-02-01T00:00:00.000Z", end: "2030-03-01T00:00:00.000Z" };
const DAY_MS = 24 * 60 * 60 * 1000;

async function usageOf(client: Client): Promise<Usage> {
  return (await client.get<{ data: Usage }>("/v0/account/usage")).data;
}

/** What of each is used. That a question is answered is itself an operation, of which it does not know yet. */
async function usedBy(client: Client) {
  const { storage, operations, bandwidth } = await usageOf(client);
  return { storage: storage.used, operations: operations.used, bandwidth: bandwidth.used };
}

function put(client: Client, drive: string, path: string, bytes: number): Promise<string> {
  return client.store(drive, path, new Uint8Array(bytes));
}

describe("the answer", () => {
  test("for an unclaimed drive", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    await put(own.client, own.id, "f", 1000);
    expect(await usageOf(own.client)).toEqual({
      storage: { used: 1000, limit: 104_857_600 },
      versions: { used: 0, limit: null },
      operations: { used: 1, limit: null },
      bandwidth: { used: 1000, limit: null },
      period: JANUARY,
    });
  });

  test("for an account, and for a key of one of its drives", async () => {
    await using coffer = await startAppliance({ "storage-limits": "team=1GB" });
    const { clients } = await populate(coffer);
    const limits = { operations: { limit: null }, bandwidth: { limit: null }, period: JANUARY };
    const storage = { used: 12, limit: 1024 ** 3 };
    expect(await usageOf(clients.ada)).toMatchObject({ storage, ...limits });
    expect(await usageOf(clients.adaDrive)).toMatchObject({ storage, ...limits });
    expect(await usageOf(clients.bob)).toMatchObject({ storage: { used: 12, limit: null }, ...limits });
  });
});

/** What was used between two looks, of which the first look is an operation. */
async function difference(client: Client, work: () => Promise<unknown>) {
  const before = await usedBy(client);
  await work();
  const after = await usedBy(client);
  return {
    storage: after.storage - before.storage,
    operations: after.operations - before.operations - 1,
    bandwidth: after.bandwidth - before.bandwidth,
  };
}

interface Asked {
  readonly client: Client;
  readonly coffer: TestAppliance;
  readonly drive: string;
  readonly file: string;
}
type Counts = Partial<Record<"storage" | "operations" | "bandwidth", number>>;

/** What one request counts, on a drive that holds "Hello World!" as `file`. */
const COUNTS: readonly [name: string, work: (on: Asked) => Promise<unknown>, counts: Counts][] = [
  [
    "a record is an operation",
    ({ client, file }) => client.send("GET", `/v0/files/${file}`),
    { operations: 1 },
  ],
  ["a refusal as well", ({ client }) => client.send("GET", "/v0/files/nothing"), { operations: 1 }],
  ["a route that is none as well", ({ client }) => client.send("GET", "/v0/nothing"), { operations: 1 }],
  [
    "what is asked without a key is not",
    ({ coffer, file }) => coffer.client().send("GET", `/v0/files/${file}`),
    {},
  ],
  ["what is asked beside the API is not", ({ client }) => client.send("GET", "/healthz"), {}],
  [
    "a download counts its bytes",
    ({ client, file }) => client.send("GET", `/v0/files/${file}/download`),
    { operations: 1, bandwidth: 12 },
  ],
  [
    "a range its own",
    ({ client, file }) =>
      client.send("GET", `/v0/files/${file}/download`, { headers: { range: "bytes=6-10" } }),
    { operations: 1, bandwidth: 5 },
  ],
  ["HEAD none", ({ client, file }) => client.send("HEAD", `/v0/files/${file}/download`), { operations: 1 }],
  [
    "304 none",
    ({ client, file }) =>
      client.send("GET", `/v0/files/${file}/download`, { headers: { "if-none-match": `"${HELLO_DIGEST}"` } }),
    { operations: 1 },
  ],
  [
    "416 none",
    ({ client, file }) =>
      client.send("GET", `/v0/files/${file}/download`, { headers: { range: "bytes=99-" } }),
    { operations: 1 },
  ],
  [
    "an upload its content's",
    ({ client, drive }) => put(client, drive, "g", 1000),
    { operations: 1, bandwidth: 1000, storage: 1000 },
  ],
  [
    "one in JSON its content's, not its base64's",
    ({ client, drive }) => client.post("/v0/files", { drive_id: drive, filename: "g", content: HELLO }),
    { operations: 1, bandwidth: 12, storage: 12 },
  ],
  [
    "one that replaces all the same",
    ({ client, drive }) => put(client, drive, "f.txt", 20),
    { operations: 1, bandwidth: 20, storage: 8 },
  ],
  [
    "one that is refused none",
    ({ client, drive }) => client.send("PUT", `/v0/files?drive_id=${drive}&path=f.txt/x`, { body: "x" }),
    { operations: 1 },
  ],
  [
    "a copy stores and moves nothing",
    ({ client, file }) => client.post(`/v0/files/${file}/copy`, { destination_path: "g" }),
    { operations: 1, storage: 12 },
  ],
  [
    "a deletion gives room back",
    ({ client, file }) => client.delete(`/v0/files/${file}`),
    { operations: 1, storage: -12 },
  ],
  [
    "an extract reads the content",
    ({ client, file }) => client.json(200, "POST", `/v0/files/${file}/extract`),
    { operations: 1, bandwidth: 12 },
  ],
  [
    "the lines of a text count as they are",
    ({ client, file }) => client.get(`/v0/files/${file}/text?max_bytes=5`),
    { operations: 1, bandwidth: 5 },
  ],
  [
    "an edit counts what is sent of text",
    ({ client, file }) => client.post(`/v0/files/${file}/edit`, { op: "append", text: "!!" }, 200),
    { operations: 1, bandwidth: 2, storage: 2 },
  ],
  [
    "what a link gives counts for the drive",
    async ({ client, coffer, file }) => {
      const link = await client.post<{ token: string }>(`/v0/files/${file}/presigned-url`, {}, 200);
      await coffer.client().send("GET", `/v0/presigned/${link.token}`);
    },
    { operations: 1, bandwidth: 12 },
  ],
];

describe("what is counted", () => {
  for (const [name, work, counts] of COUNTS) {
    test(name, async () => {
      await using coffer = await startAppliance();
      const { client, id } = await provision(coffer);
      const body = { drive_id: id, filename: "f.txt", content: HELLO };
      const file = await client.post<{ id: string }>("/v0/files", body);
      expect(await difference(client, () => work({ client, coffer, drive: id, file: file.id }))).toEqual({
        storage: 0,
        operations: 0,
        bandwidth: 0,
        ...counts,
      });
    });
  }

  test("many at once, each once", async () => {
    await using coffer = await startAppliance();
    const { client, id } = await provision(coffer);
    const file = await put(client, id, "f", 1000);
    const ask = () => client.send("GET", `/v0/files/${file}/download`);
    const look = () => client.send("GET", "/v0/account/usage");
    const counted = await difference(client, () =>
      Promise.all(Array.from({ length: 200 }, (_, n) => (n % 4 === 0 ? look() : ask()))),
    );
    expect(counted).toEqual({ storage: 0, operations: 200, bandwidth: 150_000 });
  });
});

describe("whose it is", () => {
  test("an account has its own and its drives', a drive's key the drive's, nobody a stranger's", async () => {
    await using coffer = await startAppliance();
    const { clients, drives, files } = await populate(coffer);
    const who = ["ada", "adaDrive", "bob", "agent", "otherAgent"] as const;
    const look = () => Array.fromAsync(who, (name) => usedBy(clients[name]));
    const before = await look();
    await put(clients.ada, drives.ada, "a", 100);
    await put(clients.adaDrive, drives.ada, "b", 10);
    await clients.adaReader.send("GET", `/v0/files/${files.ada}`);
    await clients.agent.send("GET", `/v0/files/${files.agent}/download`);
    // A foreign key is the caller's operation, whatever it asks about.
    await clients.bob.send("GET", `/v0/files/${files.ada}`);
    const after = await look();
    const used = after.map((usage, n) => ({
      operations: usage.operations - (before[n]?.operations ?? 0),
      bandwidth: usage.bandwidth - (before[n]?.bandwidth ?? 0),
      storage: usage.storage - (before[n]?.storage ?? 0),
    }));
    expect(Object.fromEntries(who.map((name, n) => [name, used[n]]))).toEqual({
      // With the first look of Ada's and that of her drive's key.
      ada: { operations: 3 + 2, bandwidth: 110, storage: 110 },
      adaDrive: { operations: 1 + 1, bandwidth: 110, storage: 110 },
      bob: { operations: 1 + 1, bandwidth: 0, storage: 0 },
      agent: { operations: 1 + 1, bandwidth: 12, storage: 0 },
      otherAgent: { operations: 1, bandwidth: 0, storage: 0 },
    });
  });

  test("what a drive used stays with its account when the drive is deleted and swept", async () => {
    await using coffer = await startAppliance();
    const { clients } = await populate(coffer);
    const ada = clients.ada;
    const made = await ada.post<{ data: { id: string } }>("/v0/drives", { name: "Two" });
    await put(ada, made.data.id, "f", 1000);
    const before = await usedBy(ada);
    const file = await put(ada, made.data.id, "f", 500);
    await ada.delete(`/v0/drives/${made.data.id}`);
    expect(file).toBeString();
    const deleted = await usedBy(ada);
    expect(deleted.bandwidth).toBe(before.bandwidth + 500);
    await coffer.appliance.services.sweep.run();
    expect(await usedBy(ada)).toEqual({ ...deleted, operations: deleted.operations + 1 });
    expect(deleted.storage).toBe(before.storage - 1000);
  });

  test("a deleted drive that nobody owned takes its figures with it", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    await put(own.client, own.id, "f", 1000);
    await usageOf(own.client);
    await own.client.delete(`/v0/drives/${own.id}`);
    await coffer.appliance.services.usage.flush();
    const swept = await coffer.appliance.services.sweep.run();
    expect(swept.drives).toBe(1);
    await coffer.appliance.services.usage.flush();
  });

  test("what an unclaimed drive used is the owner's once it is claimed", async () => {
    await using coffer = await startAppliance();
    const { clients } = await populate(coffer);
    const { id, client: agent, claimToken: token } = await provision(coffer);
    await put(agent, id, "f", 1000);
    const agentBefore = await usedBy(agent);
    await put(agent, id, "f", 500);
    const before = await usedBy(clients.ada);
    await clients.ada.post("/v0/drives/claim", { token }, 200);
    expect(await usedBy(clients.ada)).toEqual({
      storage: before.storage + 500,
      // The agent's two uploads and one look, this account's look and claim.
      operations: before.operations + 3 + 2,
      bandwidth: before.bandwidth + 1500,
    });
    expect((await usedBy(agent)).bandwidth).toBe(agentBefore.bandwidth + 500);
  });
});

describe("a month", () => {
  test("turns at midnight in UTC, and storage does not", async () => {
    await using coffer = await startAppliance();
    const { client, id } = await provision(coffer);
    coffer.clock.advance(27 * DAY_MS);
    await put(client, id, "f", 1000);
    coffer.clock.advance(4 * DAY_MS - 1);
    // The drive lives until 31 January; what is asked is asked of an account from here on.
    const { clients, drives } = await populate(coffer);
    await put(clients.ada, drives.ada, "f", 1000);
    const january = await usageOf(clients.ada);
    expect([january.period, january.bandwidth.used]).toEqual([JANUARY, 1012]);
    await put(clients.ada, drives.ada, "g", 1);
    coffer.clock.advance(1);
    expect(await usageOf(clients.ada)).toEqual({
      storage: { used: 1013, limit: null },
      versions: { used: 0, limit: null },
      operations: { used: 0, limit: null },
      bandwidth: { used: 0, limit: null },
      period: FEBRUARY,
    });
    await put(clients.ada, drives.ada, "h", 7);
    expect(await usedBy(clients.ada)).toEqual({ storage: 1020, operations: 2, bandwidth: 7 });
    // What was not written down when the month turned is in the month it was counted in.
    coffer.clock.set(-DAY_MS);
    expect((await usedBy(clients.ada)).bandwidth).toBe(1013);
  });
});

describe("what was counted", () => {
  test("survives a stop, and goes on from there", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    await put(own.client, own.id, "f", 1000);
    await coffer.restart();
    const client = coffer.client(own.key);
    expect(await usedBy(client)).toEqual({ storage: 1000, operations: 1, bandwidth: 1000 });
    await put(client, own.id, "g", 10);
    await coffer.restart();
    expect(await usedBy(coffer.client(own.key))).toEqual({ storage: 1010, operations: 3, bandwidth: 1010 });
  });

  test("survives also the turn of a month before the stop", async () => {
    await using coffer = await startAppliance();
    const { clients, drives, keys } = await populate(coffer);
    const before = await usedBy(clients.ada);
    await put(clients.ada, drives.ada, "f", 1000);
    coffer.clock.advance(31 * DAY_MS);
    await clients.ada.send("GET", "/v0/drives");
    await coffer.restart();
    expect(await usedBy(coffer.client(keys.ada))).toMatchObject({ operations: 1, bandwidth: 0 });
    coffer.clock.set(-DAY_MS);
    expect((await usedBy(coffer.client(keys.ada))).bandwidth).toBe(before.bandwidth + 1000);
  });

  test("is kept for the next batch when a batch cannot be written", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    const other = await provision(coffer);
    const { usage, apiKeys } = coffer.appliance.services;
    const caller = callerWith({ apiKeys }, own.key);
    await own.client.delete(`/v0/drives/${own.id}`);
    await put(other.client, other.id, "f", 1000);
    // The drive has gone since its caller was authenticated, which undoes the whole batch.
    const failure = await usage.report(caller).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "UNAUTHORIZED" });
    expect(await usedBy(other.client)).toEqual({ storage: 1000, operations: 1, bandwidth: 1000 });
  });

  test("is kept, each once and in its month, however often it cannot be written", async () => {
    await using coffer = await startAppliance();
    const { clients, drives } = await populate(coffer);
    const before = await usedBy(clients.ada);
    const fail = () => coffer.appliance.services.usage.flush().catch((error: unknown) => String(error));
    changeDatabase(
      coffer.dataDir,
      "CREATE TRIGGER sabotage BEFORE INSERT ON account_usage BEGIN SELECT RAISE(ABORT, 'sabotaged'); END",
    );
    for (const name of ["f", "g", "h"]) {
      await put(clients.ada, drives.ada, name, 1000);
      expect(await fail()).toContain("sabotaged");
    }
    coffer.clock.advance(31 * DAY_MS);
    await put(clients.ada, drives.ada, "i", 1);
    const [failed] = await Promise.all([fail(), put(clients.ada, drives.ada, "j", 1)]);
    expect(failed).toContain("sabotaged");
    changeDatabase(coffer.dataDir, "DROP TRIGGER sabotage");
    expect(await usedBy(clients.ada)).toMatchObject({ operations: 2, bandwidth: 2 });
    coffer.clock.set(-31 * DAY_MS);
    expect(await usedBy(clients.ada)).toMatchObject({
      operations: before.operations + 4,
      bandwidth: before.bandwidth + 3000,
    });
  });

  test("is answered with the common headers", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    expectCommonRules("GET", await own.client.send("GET", "/v0/account/usage"));
  });
});
