import { chmod, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "../build.ts";
import type { BuildSource } from "../build-source.ts";
import { signed, wrongInSignature } from "./code-signature.ts";
import { formatOf, HEADER_BYTES } from "./executable-format.ts";
import { fileName, type Platform } from "./platforms.ts";
import { runtimeOf } from "./runtimes.ts";

const MAIN = resolve(import.meta.dir, "../main.ts");

/** Fewer bytes than a Bun and a Coffer have: such an executable lacks one of them. */
const LEAST_BYTES = 60_000_000;

/** The executable of a platform. */
export interface Executable {
  readonly platform: Platform;
  readonly path: string;
}

/** Where executables are made: their directory, that of their Buns, and what they are made of. */
export interface ExecutableParts {
  readonly directory: string;
  readonly cache: string;
  /** What `coffer version` says of it; nothing if null. */
  readonly source: BuildSource | null;
  /** The public key of minisign that the release is signed with, in one line; null if it is not. */
  readonly key: string | null;
}

/** Builds the executable of a platform. Throws Error if it does not look like one. */
export async function buildExecutable(platform: Platform, parts: ExecutableParts): Promise<Executable> {
  const { directory, cache, source, key } = parts;
  const path = join(directory, platform.name, fileName(platform));
  const executablePath = await runtimeOf(platform, cache);
  await rm(path, { force: true });
  await build(MAIN, path, {
    platform: { target: platform.target, executablePath },
    source,
    release: { platform: platform.name, key },
  });
  if (platform.os === "darwin") await mendSignature(path);
  await chmod(path, 0o755);

  const header = await Bun.file(path).slice(0, HEADER_BYTES).bytes();
  const { size } = await stat(path);
  const format = formatOf(header);
  if (format !== platform.format || size < LEAST_BYTES)
    throw new Error(`${path} is ${format} of ${size} bytes, and should be ${platform.format}.`);
  return { platform, path };
}

/**
 * Signs an executable of macOS ad hoc unless its signature is of it. For x64 Bun leaves the signature that its own
 * executable had, and macOS ends a program whose pages are not those that were signed. Throws Error if that is no help.
 */
async function mendSignature(path: string): Promise<void> {
  const bytes = await Bun.file(path).bytes();
  if (wrongInSignature(bytes) === null) return;
  const mended = signed(bytes, "coffer");
  const wrong = wrongInSignature(mended);
  if (wrong !== null) throw new Error(`The signature of ${path} is of no use: ${wrong}.`);
  await Bun.write(path, mended);
}
