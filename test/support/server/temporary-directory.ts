import { statfsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory for one test. It is removed with everything in it when the test ends. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
  /** Where a server in it may have its data; not there yet. */
  readonly dataDir: string;
}

/** With `KEEP=1`, directories stay after their tests, and their paths are printed. */
const KEEPS = process.env["KEEP"] === "1";

/** @param parent an existing directory */
export async function temporaryDirectory(parent = tmpdir()): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(parent, "coffer-test-"));
  if (KEEPS) process.stderr.write(`kept: ${path}\n`);
  return {
    path,
    dataDir: join(path, "data"),
    [Symbol.asyncDispose]: async () => {
      if (!KEEPS) await rm(path, { recursive: true, force: true });
    },
  };
}

const MEMORY = "/dev/shm";
/** Bytes that must be free in it: several tests may run at once. */
const MEMORY_BYTES = 4 * 1024 ** 3;

/**
 * Where tests keep data that has to outlive no process: a file system in memory if there is a large one. On a disk,
 * most of their time would be spent on syncs.
 */
export const FAST_DIRECTORY = hasMemory() ? MEMORY : tmpdir();

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Makes three directories in another one; their paths. */
export async function threeDirectories(parent: string): Promise<[a: string, b: string, c: string]> {
  const paths: [string, string, string] = [join(parent, "a"), join(parent, "b"), join(parent, "c")];
  for (const path of paths) await mkdir(path);
  return paths;
}
