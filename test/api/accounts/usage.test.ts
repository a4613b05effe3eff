import { describe, expect, test } from "bun:test";
import type { UsageRecord } from "../../../src/http/records/usage-schemas.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { provision, runEach, openStage, runAfter, startWithDrive } from "../../support/server/scenario.ts";
import { refuses, type Step, gives, type Expected, step, refused } from "../../support/server/steps.ts";
import { HELLO_DIGEST, post, put } from "../../support/server/uploads.ts";
import { testWith } from "../../support/server/test-with.ts";
import { populate, startWorld } from "../../support/server/world.ts";
import { callerWith } from "../../support/server/services-drive.ts";

const it = testWith(startWorld);
const alone = testWith(startWithDrive);

const JANUARY = { start: "2030-01-01T00:00:00.000Z", end: "2030-02-01T00:00:00.000Z" };
const FEBRUARY = { start: "2030-02-01T00:00:00.000Z", end: "2030-03-01T00:00:00.000Z" };
const DAY_MS = 24 * 60 * 60 * 1000;

async function usageOf(client: Client): Promise<UsageRecord> {
  return (await client.get<{ data: UsageRecord }>("/v0/account/usage")).data;
}

/** What of each is used. That a question is answered is itself an operation, of which it does not know yet. */
async function usedBy(client: Client) {
  const { storage, operations, bandwidth } = await usageOf(client);
  return { storage: storage.used, operations: operations.used, bandwidth: bandwidth.used };
}

function upload(client: Client, drive: string, path: string, bytes: number): Promise<string> {
  return client.store(drive, path, new Uint8Array(bytes));
}

test("the answer is that of an unclaimed drive, or of an account, also for the keys of its drives", async () => {
  await using coffer = await startWorld({ "storage-limits": "team=1GB" });
  const own = await provision(coffer);
  await upload(own.client, own.id, "f", 1000);
  expect(await usageOf(own.client)).toEqual({
    storage: { used: 1000, limit: 104_857_600 },
    versions: { used: 0, limit: null },
    operations: { used: 1, limit: null },
    bandwidth: { used: 1000, limit: null },
    period: JANUARY,
  });
  const unlimited = { operations: { limit: null }, bandwidth: { limit: null }, period: JANUARY };
  const adas = { storage: { used: 12, limit: 1024 ** 3 }, ...unlimited };
  expect(await usageOf(coffer.clients.ada)).toMatchObject(adas);
  expect(await usageOf(coffer.clients.adaDrive)).toMatchObject(adas);
  const bobs = { storage: { used: 12, limit: null }, ...unlimited };
  expect(await usageOf(coffer.clients.bob)).toMatchObject(bobs);
});

/** What is counted of a request, on a drive that holds "Hello World!" as `f.txt`. */
type Counts = readonly [operations: number, bandwidth?: number, storage?: number];

function get(rest: string, expected: Expected): Step {
  return step(`GET /v0/files/{file.id}${rest}`, expected);
}

const given = post({}, { keeps: "file" });
const ofHello = `"${HELLO_DIGEST}"`;
const edit = { body: { op: "append", text: "!!" }, json: { size: 14 } };
const copy = { body: { destination_path: "g" }, status: 201, json: { path: "g" } };

const COUNTS: readonly (readonly [name: string, counts: Counts, asked: Step])[] = [
  ["a record is an operation", [1], get("", { json: { id: "{file.id}" } })],
  ["a refusal as well", [1], refuses("GET /v0/files/nothing", "NOT_FOUND")],
  ["a route that is none as well", [1], refuses("GET /v0/nothing", "NOT_FOUND")],
  ["what is asked without a key is not", [0], refuses("nobody GET /v0/files/{file.id}", "UNAUTHORIZED")],
  ["a download counts its bytes", [1, 12], get("/download", { contains: ["Hello World!"] })],
  [
    "a range its own",
    [1, 5],
    get("/download", { headers: { range: "bytes=6-10" }, status: 206, contains: ["World"] }),
  ],
  ["HEAD none", [1], step("HEAD /v0/files/{file.id}/download", { empty: true })],
  ["304 none", [1], get("/download", { headers: { "if-none-match": ofHello }, status: 304, empty: true })],
  [
    "416 none",
    [1],
    get("/download", { headers: { range: "bytes=99-" }, ...refused("RANGE_NOT_SATISFIABLE") }),
  ],
  ["an upload its content's", [1, 1000, 1000], put("g", new Uint8Array(1000))],
  ["one in JSON its content's, not its base64's", [1, 12, 12], post({ filename: "g" })],
  ["one that replaces all the same", [1, 20, 8], put("f.txt", new Uint8Array(20), { status: 200 })],
  ["one that is refused none", [1], put("f.txt/x", "x", refused("CONFLICT"))],
  ["a copy stores and moves nothing", [1, 0, 12], step("POST /v0/files/{file.id}/copy", copy)],
  ["a deletion gives room back", [1, 0, -12], gives("DELETE /v0/files/{file.id}", { deleted: true })],
  ["an extract reads the content", [1, 12], gives("POST /v0/files/{file.id}/extract", {})],
  ["the lines of a text count as they are", [1, 5], get("/text?max_bytes=5", { json: {} })],
  ["an edit counts what is sent of text", [1, 2, 2], step("POST /v0/files/{file.id}/edit", edit)],
];

/** What was used until now: the upload, and what is counted since. */
function counted([operations, bandwidth = 0, storage = 0]: Counts): Step {
  const data = {
    operations: { used: 1 + operations },
    bandwidth: { used: 12 + bandwidth },
    storage: { used: 12 + storage },
  };
  return gives("GET /v0/account/usage", { data });
}

describe("what is counted", () => {
  const stage = openStage();
  runEach(stage, COUNTS, ([name, counts, asked]) => [name, given, asked, counted(counts)]);
  runAfter(stage, [given], {
    "what a link gives counts for the drive": [
      gives("POST /v0/files/{file.id}/presigned-url", {}, { body: {}, keeps: "link" }),
      step("nobody GET /v0/presigned/{link.token}", { contains: ["Hello World!"] }),
      counted([1, 12]),
    ],
  });

  test("many at once, each once, and nothing that is asked beside the API", async () => {
    const { client, id } = await stage.ownDrive();
    await client.send("GET", "/healthz");
    const file = await upload(client, id, "f", 1000);
    const paths = [`/v0/files/${file}/download`, "/v0/account/usage"] as const;
    const ask = (n: number) => client.send("GET", paths[n % 4 === 0 ? 1 : 0]);
    await Promise.all(Array.from({ length: 200 }, (_, n) => ask(n)));
    expect(await usedBy(client)).toEqual({ storage: 1000, operations: 201, bandwidth: 151_000 });
  });
});

describe("whose it is", () => {
  it("an account has its own and its drives', a drive's key the drive's, nobody a stranger's", async (coffer) => {
    const { clients, drives, files } = coffer;
    const who = ["ada", "adaDrive", "bob", "agent", "otherAgent"] as const;
    const look = () => Array.fromAsync(who, (name) => usedBy(clients[name]));
    const before = await look();
    await upload(clients.ada, drives.ada, "a", 100);
    await upload(clients.adaDrive, drives.ada, "b", 10);
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

  it("what a drive used stays with its account when the drive is deleted and swept", async (coffer) => {
    const ada = coffer.clients.ada;
    const { id } = await ada.makeDrive("Two");
    await upload(ada, id, "f", 1000);
    const before = await usedBy(ada);
    await upload(ada, id, "f", 500);
    await ada.delete(`/v0/drives/${id}`);
    const deleted = await usedBy(ada);
    expect(deleted.bandwidth).toBe(before.bandwidth + 500);
    await coffer.appliance.services.sweep.run();
    expect(await usedBy(ada)).toEqual({ ...deleted, operations: deleted.operations + 1 });
    expect(deleted.storage).toBe(before.storage - 1000);
  });

  alone("a deleted drive that nobody owned takes its figures with it", async (coffer) => {
    const { own } = coffer;
    await upload(own.client, own.id, "f", 1000);
    await usageOf(own.client);
    await own.client.delete(`/v0/drives/${own.id}`);
    await coffer.appliance.services.usage.flush();
    const swept = await coffer.appliance.services.sweep.run();
    expect(swept.drives).toBe(1);
    await coffer.appliance.services.usage.flush();
  });

  it("what an unclaimed drive used is the owner's once it is claimed", async (coffer) => {
    const { id, client: agent, claimToken: token } = await provision(coffer);
    await upload(agent, id, "f", 1000);
    const agentBefore = await usedBy(agent);
    await upload(agent, id, "f", 500);
    const before = await usedBy(coffer.clients.ada);
    await coffer.clients.ada.post("/v0/drives/claim", { token }, 200);
    expect(await usedBy(coffer.clients.ada)).toEqual({
      storage: before.storage + 500,
      // The agent's two uploads and one look, this account's look and claim.
      operations: before.operations + 3 + 2,
      bandwidth: before.bandwidth + 1500,
    });
    expect((await usedBy(agent)).bandwidth).toBe(agentBefore.bandwidth + 500);
  });
});

alone("a month turns at midnight in UTC, and storage does not", async (coffer) => {
  const { client, id } = coffer.own;
  coffer.clock.advance(27 * DAY_MS);
  await upload(client, id, "f", 1000);
  coffer.clock.advance(4 * DAY_MS - 1);
  // The drive lives until 31 January; what is asked is asked of an account from here on.
  const { clients, drives } = await populate(coffer);
  await upload(clients.ada, drives.ada, "f", 1000);
  const january = await usageOf(clients.ada);
  expect([january.period, january.bandwidth.used]).toEqual([JANUARY, 1012]);
  await upload(clients.ada, drives.ada, "g", 1);
  coffer.clock.advance(1);
  expect(await usageOf(clients.ada)).toEqual({
    storage: { used: 1013, limit: null },
    versions: { used: 0, limit: null },
    operations: { used: 0, limit: null },
    bandwidth: { used: 0, limit: null },
    period: FEBRUARY,
  });
  await upload(clients.ada, drives.ada, "h", 7);
  expect(await usedBy(clients.ada)).toEqual({ storage: 1020, operations: 2, bandwidth: 7 });
  // What was not written down when the month turned is in the month it was counted in.
  coffer.clock.set(-DAY_MS);
  expect((await usedBy(clients.ada)).bandwidth).toBe(1013);
});

describe("what was counted", () => {
  it("survives a stop, also after the turn of a month, and goes on from there", async (coffer) => {
    const ada = () => coffer.client(coffer.keys.ada);
    const before = await usedBy(ada());
    await upload(ada(), coffer.drives.ada, "f", 1000);
    await coffer.restart();
    await upload(ada(), coffer.drives.ada, "g", 10);
    await coffer.restart();
    // The two uploads, and the look before.
    expect(await usedBy(ada())).toEqual({
      storage: before.storage + 1010,
      operations: before.operations + 3,
      bandwidth: before.bandwidth + 1010,
    });
    coffer.clock.advance(31 * DAY_MS);
    await ada().send("GET", "/v0/drives");
    await coffer.restart();
    expect(await usedBy(ada())).toMatchObject({ operations: 1, bandwidth: 0 });
    coffer.clock.set(-DAY_MS);
    expect((await usedBy(ada())).bandwidth).toBe(before.bandwidth + 1010);
  });

  alone("is kept for the next batch when a batch cannot be written", async (coffer) => {
    const { own } = coffer;
    const other = await provision(coffer);
    const { usage, apiKeys } = coffer.appliance.services;
    const caller = callerWith({ apiKeys }, own.key);
    await own.client.delete(`/v0/drives/${own.id}`);
    await upload(other.client, other.id, "f", 1000);
    // The drive has gone since its caller was authenticated, which undoes the whole batch.
    const failure = await usage.report(caller).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "UNAUTHORIZED" });
    expect(await usedBy(other.client)).toEqual({ storage: 1000, operations: 1, bandwidth: 1000 });
  });

  it("is kept, each once and in its month, however often it cannot be written", async (coffer) => {
    const { ada } = coffer.clients;
    const uploadAs = (name: string, bytes: number) => upload(ada, coffer.drives.ada, name, bytes);
    const before = await usedBy(ada);
    const fail = () => coffer.appliance.services.usage.flush().catch((error: unknown) => String(error));
    changeDatabase(
      coffer.dataDir,
      "CREATE TRIGGER sabotage BEFORE INSERT ON account_usage BEGIN SELECT RAISE(ABORT, 'sabotaged'); END",
    );
    for (const name of ["f", "g", "h"]) {
      await uploadAs(name, 1000);
      expect(await fail()).toContain("sabotaged");
    }
    coffer.clock.advance(31 * DAY_MS);
    await uploadAs("i", 1);
    const [failed] = await Promise.all([fail(), uploadAs("j", 1)]);
    expect(failed).toContain("sabotaged");
    changeDatabase(coffer.dataDir, "DROP TRIGGER sabotage");
    expect(await usedBy(ada)).toMatchObject({ operations: 2, bandwidth: 2 });
    coffer.clock.set(-31 * DAY_MS);
    const { operations, bandwidth } = await usedBy(ada);
    expect([operations - before.operations, bandwidth - before.bandwidth]).toEqual([4, 3000]);
  });
});
