import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { backUpAsStream, backUpTo } from "../../src/backup/backup.ts";
import type { Manifest } from "../../src/backup/manifest.ts";
import { restoreFrom, restoreStream } from "../../src/backup/restore.ts";
import { changeDatabase, rowsIn } from "../support/faults/change-database.ts";
import { NO_S3 } from "../support/peers/s3-options.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { startWithDrive } from "../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

const coffer = await startWithDrive();
const directory = await temporaryDirectory(FAST_DIRECTORY);
const { clock, dataDir } = coffer;
const { signal } = new AbortController();
const access = { clock, s3: NO_S3 };
const options = {
  ...access,
  dataDir,
  diskReserve: 0,
  version: "1",
  backupContents: "leave",
  signal,
} as const;
const place = { kind: "directory", path: at("place") } as const;

let manifest: Manifest;

beforeAll(async () => {
  const { id } = await backUpTo(place, 7, options);
  manifest = await Bun.file(partOf(id, "manifest.json")).json();
  // What is recorded is the time of the restore.
  clock.advance(60_000);
});

afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function at(name: string): string {
  return join(directory.path, name);
}

function partOf(id: string, name: string): string {
  return join(place.path, "backups", id, name);
}

/** What the audit log of a restored store says of restores. */
function restoresIn(root: string): unknown[][] {
  return rowsIn(
    root,
    `SELECT at, outcome, category, actor_kind, actor_name, subject_kind, subject_id, subject_name, detail
       FROM audit_event WHERE action = 'store.restored' ORDER BY pk`,
  );
}

function restored({ id, created_at }: Manifest, from: string | null): unknown[] {
  const detail = JSON.stringify({ from, made_at: created_at, contents_missing: 0 });
  return [clock.now(), "success", "restores", "command", "restore", "backup", id, id, detail];
}

test("a store that was restored tells so, and the one that was backed up does not", async () => {
  await restoreFrom(place, null, { ...access, dataDir: at("restored") });
  expect(restoresIn(at("restored"))).toEqual([restored(manifest, place.path)]);
  expect(restoresIn(dataDir)).toEqual([]);
  expect(rowsIn(at("restored"), "PRAGMA integrity_check")).toEqual([["ok"]]);
});

test("a restore that was cut off is told of once, when it is done", async () => {
  const pieces: Uint8Array[] = [];
  const { id } = await backUpAsStream(async (bytes) => void pieces.push(Uint8Array.from(bytes)), options);
  const unpack = (some: readonly Uint8Array[]) =>
    restoreStream(new Blob(some.map((piece) => new Uint8Array(piece))).stream(), {
      dataDir: at("unpacked"),
      clock,
    });
  expect(await refusalOf(unpack(pieces.slice(0, -8)))).toContain("cut off");
  const { manifest: made } = await unpack(pieces);
  expect(made.id).toBe(id);
  expect(restoresIn(at("unpacked"))).toEqual([restored(made, null)]);
});

test("a backup from before there was an audit log is restored as it is", async () => {
  const { id, parts } = manifest;
  const database = partOf(id, "coffer.db");
  changeDatabase(
    join(database, ".."),
    "DELETE FROM schema_migration WHERE version > 42",
    "DROP TRIGGER api_key_revoked",
    "DROP TABLE audit_event",
  );
  const bytes = await Bun.file(database).bytes();
  const sha256 = Bun.SHA256.hash(bytes, "hex");
  const changed = parts.map((part) =>
    part.name === "coffer.db" ? { ...part, sha256, size: bytes.length } : part,
  );
  await Bun.write(
    partOf(id, "manifest.json"),
    JSON.stringify({ ...manifest, schema_version: 42, parts: changed }),
  );
  await restoreFrom(place, id, { ...access, dataDir: at("old") });
  expect(await Bun.file(join(at("old"), "coffer.db")).bytes()).toEqual(bytes);
});
