import { join } from "node:path";
import { type Entry, tar } from "./archives.ts";
import type { Executable } from "./executables.ts";
import { fileName, type Platform } from "./platforms.ts";

/** What every package has: its version, when its files were changed, and the files that it has beside its own. */
export interface PackageParts {
  readonly version: string;
  /** Since 1970. */
  readonly seconds: number;
  /** `LICENSE` and `README.md`. */
  readonly texts: readonly Entry[];
}

const LAUNCHER = join(import.meta.dir, "npm/launcher.cjs");

/**
 * What packages of npm are called that have an executable. On x64 Linux they have the one for every processor, as npm
 * cannot tell them apart: that with AVX2 is in none.
 */
export function packageName({ os, cpu, libc, name }: Platform): string | null {
  const needsAvx2 = os === "linux" && cpu === "x64" && !name.endsWith("-baseline");
  return needsAvx2 ? null : `coffer-${os}-${cpu}${libc === "musl" ? "-musl" : ""}`;
}

/** Writes a package for each executable into a directory, and the one with the launcher that depends on all of them. */
export async function writeNpmPackages(
  directory: string,
  executables: readonly Executable[],
  parts: PackageParts,
): Promise<string[]> {
  const written: string[] = [];
  const optionalDependencies: Record<string, string> = {};
  for (const { platform, path } of executables) {
    const name = packageName(platform);
    if (name === null) continue;
    optionalDependencies[name] = parts.version;
    const { os, cpu, libc } = platform;
    const limits = { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) };
    const bytes = await Bun.file(path).bytes();
    const entry = { name: `bin/${fileName(platform)}`, bytes, isExecutable: true };
    written.push(await writePackage(directory, { name, ...limits }, { ...parts, entry }));
  }
  const main = {
    name: "coffer",
    bin: { coffer: "bin/coffer.cjs" },
    engines: { node: ">=18" },
    optionalDependencies,
  };
  const entry = { name: "bin/coffer.cjs", bytes: await Bun.file(LAUNCHER).bytes(), isExecutable: true };
  written.push(await writePackage(directory, main, { ...parts, entry }));
  return written;
}

/** Writes a package with one file of its own, as `npm pack` would. No package has a script. */
async function writePackage(
  directory: string,
  manifest: { readonly name: string },
  { version, seconds, texts, entry }: PackageParts & { readonly entry: Entry },
): Promise<string> {
  const { name, ...rest } = manifest;
  const description = "A self-hosted cloud drive for software agents and the humans who own them";
  const json = JSON.stringify({ name, version, description, license: "MIT", ...rest }, null, 2);
  const entries = [{ name: "package.json", bytes: Buffer.from(`${json}\n`) }, ...texts, entry];
  const inside = entries.map((each) => ({ ...each, name: `package/${each.name}` }));
  const path = join(directory, `${name}-${version}.tgz`);
  await Bun.write(path, Bun.gzipSync(Buffer.from(tar(inside, seconds)), { level: 6 }));
  return path;
}
