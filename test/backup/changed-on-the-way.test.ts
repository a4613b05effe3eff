import { describe, expect } from "bun:test";
import { backUpTo } from "../../src/backup/backup.ts";
import { restoreFrom } from "../../src/backup/restore.ts";
import type { BackupAddress } from "../../src/domain/upkeep/backup-address.ts";
import { contentOf, put } from "../support/faults/faults.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { always, type S3Fault, S3Server, times } from "../support/peers/s3-server.ts";
import { contentsIn } from "../support/samples/contents.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { startAppliance } from "../support/server/appliance.ts";
import { provision } from "../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { testWith } from "../support/server/test-with.ts";

const PLACE: BackupAddress = { kind: "s3", bucket: "a-bucket", prefix: "" };
const FLIPPED: S3Fault = { kind: "wrong-byte", after: 20 };
const SHORTENED: S3Fault = { kind: "short", after: 20 };
const EMPTY_LIST: S3Fault = { kind: "answer", status: 200, code: "", body: "<ListBucketResult/>" };
/** Besides those in the database. */
const LARGE = [20_000, 70_000, 150_000];

/** A Coffer with some files, and two backups of it in a bucket. */
async function start() {
  await using opened = new AsyncDisposableStack();
  const coffer = opened.use(await startAppliance());
  const { path } = opened.use(await temporaryDirectory(FAST_DIRECTORY));
  const { clock, dataDir } = coffer;
  const server = opened.use(await S3Server.start("a-bucket", { clock }));
  const drive = await provision(coffer);
  for (const size of [100, ...LARGE]) {
    expect(await put(drive.client, drive.id, `f${size}`, contentOf(`f${size}`, size))).toBe(201);
  }
  const s3 = optionsFor(server);
  const { signal } = new AbortController();
  const options = {
    dataDir,
    clock,
    s3,
    diskReserve: 0,
    version: "1.2.3",
    backupContents: "leave" as const,
    signal,
  };
  const backUp = (keep = 7) => backUpTo(PLACE, keep, options);
  const ids = { older: (await backUp()).id, newer: (await backUp()).id };
  let restores = 0;
  const owned = opened.move();
  return {
    server,
    backUp,
    ids,
    /** Restores into a new directory. */
    restore: async (id: string | null = null) => {
      const into = `${path}/restored ${restores++}`;
      const { manifest, missing } = await restoreFrom(PLACE, id, { dataDir: into, s3, clock });
      return { id: manifest.id, missing, contents: contentsIn(into).length };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A fault for the first request of each kind and name. */
function first(fault: S3Fault): (asked: string) => S3Fault | null {
  const seen = new Set<string>();
  return (asked) => {
    const isFirst = !seen.has(asked);
    seen.add(asked);
    return isFirst ? fault : null;
  };
}

const it = testWith(start);

describe("what is changed on the way from a bucket is no damage in the backup", () => {
  it("so a restore reads it a second time, whatever it is", async ({ server, restore, ids }) => {
    for (const fault of [FLIPPED, SHORTENED]) {
      server.fault = first(fault);
      expect([fault, await restore()]).toEqual([
        fault,
        { id: ids.newer, missing: [], contents: LARGE.length + 1 },
      ]);
    }
  });

  it("but what is read wrong twice is", async ({ server, restore, ids }) => {
    server.fault = always(FLIPPED, /^GET blobs\//);
    expect((await restore()).missing).toMatchObject(
      LARGE.map(() => ({ problem: "does not match its SHA-256 in the backup" })),
    );
    server.fault = always(SHORTENED, new RegExp(`^GET backups/${ids.newer}/coffer.db`));
    expect(await refusalOf(restore())).toContain(
      `coffer.db of the backup ${ids.newer} is missing or damaged`,
    );
    expect((await restore(ids.older)).missing).toEqual([]);
  });

  it("and what always comes differently is named", async ({ server, restore }) => {
    let after = 20;
    server.fault = (asked) =>
      asked === "GET coffer-backup.json" ? { kind: "wrong-byte", after: after++ } : null;
    expect(await refusalOf(restore())).toContain("coffer-backup.json comes differently each time it is read");
  });

  it("nor does a list that comes short hide the newest one", async ({ server, restore, ids }) => {
    server.fault = times(1, EMPTY_LIST, /list-type/);
    expect((await restore()).id).toBe(ids.newer);
    // An id says where to look.
    server.fault = always(EMPTY_LIST, /list-type/);
    expect((await restore(ids.older)).id).toBe(ids.older);
  });

  it("and contents are removed by lists that are whole", async ({ server, backUp, restore }) => {
    const list = /^GET backups\/.*\/contents$/;
    for (const fault of [FLIPPED, SHORTENED]) {
      server.fault = first(fault);
      expect(await backUp(2)).toMatchObject({ copied: 0, pruned: { backups: 1, contents: 0 } });
      server.fault = always(fault, list);
      expect(await refusalOf(backUp(2))).toContain("is damaged, so no content was removed");
    }
    server.fault = () => null;
    expect(await restore()).toMatchObject({ missing: [] });
  });
});
