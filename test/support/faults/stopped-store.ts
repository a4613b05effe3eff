import { Database as Sqlite } from "bun:sqlite";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { KEEPS_NOTHING, startAppliance } from "../server/appliance.ts";
import { sampleBytes } from "../samples/blob-store-contract.ts";
import { type OwnDrive, provision } from "../server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../server/temporary-directory.ts";

/** A file, and its content. */
export interface Stored {
  readonly id: string;
  readonly digest: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** A data directory that no server uses, and copies of it to damage. */
export interface StoppedStore extends AsyncDisposable {
  /** The data directory, which is whole. */
  readonly whole: string;
  /** Of an agent, and its drive. */
  readonly key: string;
  readonly drive: string;
  /** A file in the folder `a/b/`, whose content is in the database. */
  readonly small: Stored;
  /** A file in the folder `a/`, whose content is a file. */
  readonly large: Stored;
  /** A new copy of the data directory. */
  copied(): Promise<string>;
  /** A path for another directory. */
  path(name: string): string;
}

/** Fills a store with a few things of each kind, and stops it. */
export async function stoppedStore(): Promise<StoppedStore> {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const whole = join(place.path, "whole");
  let copies = 0;
  await using coffer = await startAppliance(KEEPS_NOTHING);
  let drive: OwnDrive = await provision(coffer);
  const small = await putFile(drive, "a/b/small.txt", new TextEncoder().encode("a few words"));
  const large = await putFile(drive, "a/large.bin", sampleBytes(100_000));
  const gone = await putFile(drive, "gone.txt", new TextEncoder().encode("released"));
  await drive.client.delete(`/v0/files/${gone.id}`);
  await coffer.restart({ "keep-days": "30" });
  drive = { ...drive, client: coffer.client(drive.key) };
  await putFile(drive, "replaced.txt", new TextEncoder().encode("before"));
  await drive.client.put(drive.id, "replaced.txt", "after that", 200);
  const deleted = await putFile(drive, "deleted.txt", new TextEncoder().encode("in the trash"));
  await drive.client.delete(`/v0/files/${deleted.id}`);
  await indexed(drive);
  await coffer.close();
  await cp(coffer.dataDir, whole, { recursive: true });
  // Some tests change bytes of these files: all pages must be in them.
  for (const name of ["coffer.db", "search.db"]) {
    using sql = new Sqlite(join(whole, name));
    sql.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  return {
    whole,
    key: drive.key,
    drive: drive.id,
    small,
    large,
    copied: async () => {
      const dataDir = join(place.path, String((copies += 1)));
      await cp(whole, dataDir, { recursive: true });
      return dataDir;
    },
    path: (name) => join(place.path, name),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Uploads a file with two tags. */
export async function putFile(
  { id, client }: OwnDrive,
  path: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<Stored> {
  const file = await client.put(id, path, content, 201, "&tags=one,two");
  return { id: file.id, digest: Bun.SHA256.hash(content, "hex"), content };
}

/** Waits until everything of a drive is in the search index. */
export async function indexed({ id, client }: OwnDrive): Promise<void> {
  await client.get(`/v0/search?drive_id=${id}&q=nothing`);
}
