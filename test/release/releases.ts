import { cp, mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "../..");

/** What an executable is made of, but for its packages. */
const SOURCES = ["src", "web", ".github", "bun.lock", "bunfig.toml", "tsconfig.json"];

/** Copies what an executable is made of, but for its packages. Returns the directory. */
export async function copyOfSources(directory: string): Promise<string> {
  await mkdir(directory);
  for (const name of [...SOURCES, "package.json"])
    await cp(join(ROOT, name), join(directory, name), { recursive: true });
  return directory;
}

/**
 * Builds the executable of these sources as if they had another version, in a directory of its own inside of `place`.
 * Returns its path.
 */
export async function executableOf(version: string, place: string): Promise<string> {
  const sources = await copyOfSources(join(place, `sources-${version}`));
  await symlink(join(ROOT, "node_modules"), join(sources, "node_modules"));
  const manifest: object = await Bun.file(join(ROOT, "package.json")).json();
  await Bun.write(join(sources, "package.json"), JSON.stringify({ ...manifest, version }));
  await Bun.$`${process.execPath} src/build.ts --commit=0123456789ab --epoch=1795939200`.cwd(sources).quiet();
  return join(sources, "dist/coffer");
}
