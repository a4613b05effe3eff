import { join } from "node:path";
import { type Entry, gzipped, tar } from "./archives.ts";
import type { Executable } from "./executables.ts";
import { fileName, type Platform } from "./platforms.ts";

/** What every package has: its version, when its files were changed, and the files that it has beside its own. */
export interface PackageParts {
  readonly version: string;
  /** Since 1970. */
  readonly seconds: number;
  /** `LICENSE`, `README.md` and `CHANGELOG.md`. */
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

/** Writes the package of an executable into a directory. Throws Error if its platform has none. Returns its path. */
export async function writeNpmPackage(
  directory: string,
  { platform, path }: Executable,
  parts: PackageParts,
): Promise<string> {
  const name = packageName(platform);
  if (name === null) throw new Error(`There is no package for ${platform.name}.`);
  const { os, cpu, libc } = platform;
  const limits = { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) };
  const bytes = await Bun.file(path).bytes();
  const entry = { name: `bin/${fileName(platform)}`, bytes, isExecutable: true };
  return writePackage(directory, { name, ...limits }, { ...parts, entry });
}

/** Writes the package with the launcher, which depends on those of all these platforms. Returns its path. */
export async function writeNpmLauncher(
  directory: string,
  platforms: readonly Platform[],
  parts: PackageParts,
): Promise<string> {
  const names = platforms.map(packageName).filter((name) => name !== null);
  const manifest = {
    name: "coffer",
    bin: { coffer: "bin/coffer.cjs" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, parts.version])),
  };
  const entry = { name: "bin/coffer.cjs", bytes: await Bun.file(LAUNCHER).bytes(), isExecutable: true };
  return writePackage(directory, manifest, { ...parts, entry });
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
  await Bun.write(path, await gzipped(tar(inside, seconds)));
  return path;
}
