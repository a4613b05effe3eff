import { type FileHandle, open } from "node:fs/promises";
import { BadTar, readTar } from "../domain/contents/tar.ts";
import type { Arriving } from "./release-place.ts";
import { UpgradeError } from "./upgrade-error.ts";

/** Of an archive, and of what is unpacked from it, in bytes: many times what a release has. */
const MOST_BYTES = 2 ** 30;

/** A file to be written, and who it is for. */
interface Written {
  readonly path: string;
  /** As `chmod` takes it. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Writes what arrives to a new file, and returns its SHA-256 in hexadecimal digits. Throws UpgradeError if it is huge. */
export async function download(
  { bytes }: Arriving,
  path: string,
  tell: (bytes: number) => void,
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  await using file = await open(path, "wx", 0o600);
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > MOST_BYTES) throw new UpgradeError("The archive is too large to be that of a release.");
    hash.update(piece);
    await writeAll(file, piece);
    tell(size);
  }
  return hash.digest("hex");
}

/** Writes one file of a `.tar.gz` archive to a new file, and syncs it. Throws UpgradeError if it is not in there. */
export async function unpack(archive: string, name: string, to: Written): Promise<void> {
  const unzipped = Bun.file(archive).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    for await (const entry of readTar(unzipped)) {
      if (entry.name !== name) continue;
      if (entry.size > MOST_BYTES) break;
      await write(entry.bytes, to);
      return;
    }
  } catch (cause) {
    throw cause instanceof BadTar ? new UpgradeError(`${archive}: ${cause.message}.`, { cause }) : cause;
  }
  throw new UpgradeError(`The archive has no ${name} that could be an executable.`);
}

async function write(bytes: AsyncIterable<Uint8Array>, { path, mode, uid, gid }: Written): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  for await (const piece of bytes) await writeAll(file, piece);
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
  // Whatever the umask of this process is.
  await file.chmod(mode);
  await file.sync();
}

/** A single write may take a part only. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}
