import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Executable } from "./executables.ts";
import { linuxVersion } from "./linux-version.ts";
import type { PackageParts } from "./npm.ts";
import { makeTree } from "./package-tree.ts";

const SPEC = join(import.meta.dir, "rpm/coffer.spec");

const ARCHITECTURES = { x64: "x86_64", arm64: "aarch64" } as const;

/** Writes the RPM package of an executable into a directory. It needs `rpmbuild`. Returns its path. */
export async function writeRpm(
  directory: string,
  { platform, path }: Executable,
  { version, seconds, texts }: PackageParts,
): Promise<string> {
  const architecture = ARCHITECTURES[platform.cpu];
  const inside = linuxVersion(version);
  const work = resolve(`${path}.rpm`);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await makeTree(join(work, "tree"), path, texts);
  const epoch = `SOURCE_DATE_EPOCH=${seconds}`;
  const defines = [`_topdir ${work}`, `tree ${work}/tree`, `release_version ${inside}`].flatMap((line) => [
    "--define",
    line,
  ]);
  await Bun.$`env ${epoch} rpmbuild -bb --quiet --target ${architecture}-linux ${defines} ${SPEC}`.quiet();
  const nameOf = (shown: string) => `coffer-${shown}-1.${architecture}.rpm`;
  const written = join(directory, nameOf(version));
  await Bun.write(written, Bun.file(join(work, "RPMS", architecture, nameOf(inside))));
  await rm(work, { recursive: true });
  return written;
}
