import { expect } from "bun:test";
import { join } from "node:path";
import type { Client } from "../server/client.ts";
import type { OwnDrive, Stage } from "../server/scenario.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";
import { systemUnzipTest, ZipReader } from "./unzip.ts";

/** The URL of the archive of these paths. */
export function address(drive: string, ...paths: string[]): string {
  const query = new URLSearchParams({ drive_id: drive });
  for (const path of paths) query.append("path", path);
  return `/v0/archive?${query.toString()}`;
}

/** Writes an archive to a file, checks it with the system's `unzip`, and opens it for `look`. */
export async function opened<T>(archive: Uint8Array, look: (zip: ZipReader) => T): Promise<T> {
  await using place = await temporaryDirectory();
  const path = join(place.path, "a.zip");
  await Bun.write(path, archive);
  // 1 is its warning about an empty archive.
  expect([0, 1, null]).toContain(systemUnzipTest(path));
  using zip = await ZipReader.of(path);
  return look(zip);
}

/** The contents of the archive of these paths, by name. */
export async function archived(
  client: Client,
  drive: string,
  ...paths: string[]
): Promise<Record<string, string>> {
  const response = await client.fetch("GET", address(drive, ...paths));
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return opened(await response.bytes(), (zip) => zip.texts());
}

/** A new drive with these files; a folder's path ends in `/`. */
export async function filled(
  stage: Stage,
  files: Readonly<Record<string, string | Buffer<ArrayBuffer>>>,
): Promise<OwnDrive> {
  const own = await stage.ownDrive();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith("/")) await own.client.post("/v0/folders", { drive_id: own.id, path });
    else await own.client.put(own.id, path, content);
  }
  return own;
}
