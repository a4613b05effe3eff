import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/** A file of an archive. */
export interface Entry {
  /** Its path in the archive. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isExecutable?: boolean;
}

/** Of zstd: higher ones take many times as long for a tenth less. */
const ZSTD_LEVEL = 10;

/** In whose way a ZIP archive has the modes of files. */
const UNIX = 3;

/** A tar archive. It depends on nothing but its arguments. @param seconds when everything in it was changed, since 1970 */
export function tar(entries: readonly Entry[], seconds: number): Uint8Array {
  const blocks = entries.flatMap(({ name, bytes, isExecutable = false }) => [
    tarHeader(name, { size: bytes.length, seconds, mode: isExecutable ? 0o755 : 0o644 }),
    bytes,
    new Uint8Array(-bytes.length & 511),
  ]);
  return Buffer.concat([...blocks, new Uint8Array(1024)]);
}

interface TarFields {
  readonly size: number;
  readonly seconds: number;
  readonly mode: number;
}

/** A header of POSIX's ustar, of a file that belongs to root. Throws Error for a name that does not fit into it. */
function tarHeader(name: string, { size, seconds, mode }: TarFields): Uint8Array {
  const header = Buffer.alloc(512);
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar archive.`);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
  header.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  // The sum counts itself as spaces.
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  header.write("root", 265);
  header.write("root", 297);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** A ZIP archive, as `tar`. */
export function zip(entries: readonly Entry[], seconds: number): Uint8Array {
  const utc = new Date(seconds * 1000);
  // It writes the local time, which must not depend on where this runs.
  const mtime = new Date(utc.getTime() + utc.getTimezoneOffset() * 60_000);
  const files: Zippable = {};
  for (const { name, bytes, isExecutable = false } of entries)
    files[name] = [bytes, { mtime, os: UNIX, attrs: (isExecutable ? 0o100755 : 0o100644) << 16 }];
  return zipSync(files, { level: 6 });
}

/** Writes the archives of a directory with these entries: `.tar.gz` and `.tar.zst`, or `.zip`. Returns their paths. */
export async function writeArchives(
  place: string,
  entries: readonly Entry[],
  { seconds, kind }: { readonly seconds: number; readonly kind: "tar" | "zip" },
): Promise<string[]> {
  await mkdir(join(place, ".."), { recursive: true });
  const inside = entries.map((entry) => ({ ...entry, name: `${basename(place)}/${entry.name}` }));
  if (kind === "zip") return [await write(`${place}.zip`, zip(inside, seconds))];
  const archive = Buffer.from(tar(inside, seconds));
  return Promise.all([
    gzipped(archive).then((bytes) => write(`${place}.tar.gz`, bytes)),
    Bun.zstdCompress(archive, { level: ZSTD_LEVEL }).then((bytes) => write(`${place}.tar.zst`, bytes)),
  ]);
}

/** As a file of gzip, in a thread of its own: `Bun.gzipSync` would hold up all that is made beside it. */
export function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  return promisify(gzip)(bytes, { level: 6 });
}

async function write(path: string, bytes: Uint8Array): Promise<string> {
  await Bun.write(path, bytes);
  return path;
}
