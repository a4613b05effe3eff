import { afterAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { prepare, QUIET } from "../../support/faults/changes.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { inShell, provision, serve } from "../../support/server/executable.ts";
import {
  contentOf,
  type Fault,
  formOf,
  heldBy,
  Injection,
  NO_STRACE,
  put,
} from "../../support/faults/faults.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { NO_SMALL_DISK, SmallDisk } from "../../support/faults/small-disk.ts";
import { isThorough, longTest, someOf } from "../../support/server/thorough.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { verified } from "../../support/faults/verified.ts";

const prepared = await prepare(FAST_DIRECTORY);
afterAll(() => prepared[Symbol.asyncDispose]());

const MIB = 1024 * 1024;

const FORMS_OF_UPLOAD = 3;

/** Uploads of one content: as raw bytes, in JSON and in a form. */
async function uploads(client: Client, drive: string, content: Uint8Array<ArrayBuffer>): Promise<Answer[]> {
  const form = await formOf({ drive_id: drive, path: "form.bin" }, content);
  return Promise.all([
    client.send("PUT", `/v0/files?drive_id=${drive}&path=raw.bin`, { body: content }),
    client.send("POST", "/v0/files", {
      body: { drive_id: drive, filename: "json.bin", content: content.toBase64() },
    }),
    client.send("POST", "/v0/files", form),
  ]);
}

/** One of every kind of write, none of which frees space. */
async function writes(client: Client, drive: string): Promise<Answer[]> {
  return [
    ...(await uploads(client, drive, new Uint8Array(1000))),
    ...(await uploads(client, drive, new Uint8Array(100_000))),
    await client.send("POST", "/v0/folders", { body: { drive_id: drive, path: "f/" } }),
    await client.send("POST", "/v0/keys", { body: {} }),
  ];
}

function isRefusal({ status }: Answer): boolean {
  return status >= 300;
}

/** An error as the API describes it, with one of these statuses. */
function requireRefusals(answers: readonly Answer[], statuses: readonly number[]): void {
  for (const { status, text, headers } of answers) {
    expect([text, statuses]).toEqual([text, expect.arrayContaining([status])]);
    expect(JSON.parse(text)).toMatchObject({
      error: {
        code: expect.any(String),
        message: expect.any(String),
        request_id: headers.get("x-request-id"),
      },
    });
  }
}

function temporariesIn(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, "tmp"));
}

test.skipIf(NO_SMALL_DISK !== "")(
  withReason(
    "a disk of 24 MiB that fills up while contents arrive: 507, nothing is left of them, and the next upload finds room",
    NO_SMALL_DISK,
  ),
  async () => {
    await using disk = await SmallDisk.mount(24);
    await using server = await serve({ dataDir: join(disk.path, "data"), wrapper: disk.wrapper });
    const { client, drive } = await provision(server);
    requireRefusals(await uploads(client, drive, new Uint8Array(16 * MIB)), [507]);
    expect(await temporariesIn(join(disk.outside, "data"))).toEqual([]);
    expect(await heldBy(client, drive)).toEqual({});
    expect(await put(client, drive, "a.bin", contentOf("a", MIB))).toBe(201);
    expect(await client.status("GET", "/readyz")).toBe(200);
    expect(await server.stop()).toBe(0);
  },
);

longTest(
  "a limit on the size of files: what is larger is refused, nothing is left of it, and the rest goes on",
  async () => {
    // In units of 512 bytes: 9 MiB. A start writes the reserve, of 8 MiB.
    const wrapper = inShell("ulimit -f 18432");
    await using server = await serve({ wrapper });
    const { client, drive } = await provision(server);
    requireRefusals(await uploads(client, drive, new Uint8Array(10 * MIB)), [500]);
    expect(await temporariesIn(server.dataDir)).toEqual([]);
    expect(await put(client, drive, "a.bin", contentOf("a", MIB))).toBe(201);
    expect(Object.keys(await heldBy(client, drive))).toEqual(["a.bin"]);
    expect(await server.stop()).toBe(0);
  },
);

/** What fails: every write, or only those with a content that becomes a file. */
type Refused = "every write" | "every upload of a file";
/** Whether the server goes on by itself when the fault is over, or only reads until it is restarted. */
type After = "goes on" | "only reads";

const FAULTS: readonly (readonly [fault: Omit<Fault, "when">, refused: Refused, after: After])[] = [
  [{ calls: "pwrite64", error: "EIO" }, "every write", "only reads"],
  [{ calls: "pwrite64", error: "EROFS" }, "every write", "only reads"],
  [{ calls: "pwrite64", error: "ENOSPC" }, "every write", "goes on"],
  [{ calls: "pwrite64", error: "EFBIG" }, "every write", "only reads"],
  [{ calls: "fsync,fdatasync", error: "EIO" }, "every write", "only reads"],
  [{ calls: "?open,openat", error: "EACCES" }, "every upload of a file", "goes on"],
  [{ calls: "?rename,renameat,renameat2", error: "EROFS" }, "every upload of a file", "goes on"],
  [{ calls: "?mkdir,mkdirat", error: "EROFS" }, "every upload of a file", "goes on"],
];

describe.skipIf(NO_STRACE !== "")(withReason("a disk", NO_STRACE), () => {
  test.each(someOf(FAULTS, FAULTS.length))(
    "with %o at every call: %s fails, and then the server %s",
    async (fault, what, after) => {
      await using place = await prepared.copied();
      await using server = await serve({ dataDir: place.dataDir, env: QUIET });
      const client = server.client(prepared.key);
      const before = await heldBy(client, prepared.drive);
      const injection = await Injection.into(server, { ...fault, when: "1+" });
      const answers = await writes(client, prepared.drive);
      const refused = answers.filter(isRefusal);
      requireRefusals(refused, [500, 503, 507]);
      expect(refused).toHaveLength(what === "every write" ? answers.length : FORMS_OF_UPLOAD);
      await injection.stop();
      expect(await temporariesIn(server.dataDir)).toEqual([]);
      const isReady = after === "goes on";
      const readiness = () => client.status("GET", "/readyz");
      // A disk that took no file is looked at again after a moment.
      if (isReady) await eventually(async () => (await readiness()) === 200);
      else expect(await readiness()).toBe(503);
      const again = await writes(client, prepared.drive);
      if (isReady) expect(again.filter(isRefusal)).toEqual([]);
      else requireRefusals(again, [503]);
      expect(await heldBy(client, prepared.drive)).toMatchObject(before);
      expect(await server.stop()).toBe(isReady ? 0 : 1);
      expect(await verified(server.dataDir)).toEqual([]);
    },
  );

  longTest(
    "that cannot read the database: 500 for what needs it, and all is as before when it can",
    async () => {
      await using place = await prepared.copied();
      await using server = await serve({ dataDir: place.dataDir, env: QUIET });
      const client = server.client(prepared.key);
      const injection = await Injection.into(server, {
        calls: "read,pread64",
        error: "EIO",
        when: "1+",
        file: "coffer.db",
      });
      requireRefusals(
        [
          await client.send("GET", `/v0/files?drive_id=${prepared.drive}`),
          await client.send("PUT", `/v0/files?drive_id=${prepared.drive}&path=x.bin`, { body: "x" }),
          await client.send("GET", `/v0/search?drive_id=${prepared.drive}&q=small`),
        ],
        [500],
      );
      await injection.stop();
      expect((await writes(client, prepared.drive)).filter(isRefusal)).toEqual([]);
      await heldBy(client, prepared.drive);
      expect(await server.stop()).toBe(0);
      expect(await verified(server.dataDir)).toEqual([]);
    },
  );
});

/** Whether the fault was there before the server opened its index, a tenth of a second after its start. */
async function opensItsIndexOnceThereIsRoom(): Promise<boolean> {
  await using server = await serve();
  const { client, drive } = await provision(server);
  const fault = await Injection.into(server, {
    calls: "pwrite64",
    error: "ENOSPC",
    when: "1+",
    file: "search.db-shm",
  });
  await client.put(drive, "a.txt", "needle");
  const found = async () => (await client.paths(`/v0/search?drive_id=${drive}&q=needle`)).length;
  const isInTime = (await found()) === 0;
  await fault.stop();
  if (!isInTime) return false;
  expect(await fault.hits()).not.toEqual([]);
  await eventually(async () => (await found()) === 1);
  expect(await server.stop()).toBe(0);
  expect(server.stdout.text).not.toContain('"level":"error"');
  return true;
}

if (isThorough()) {
  test.skipIf(NO_STRACE !== "")(
    withReason(
      "an index that finds no room to be opened waits without an error, and is opened once there is",
      NO_STRACE,
    ),
    () => eventually(opensItsIndexOnceThereIsRoom),
  );
}
