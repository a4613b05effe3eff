import { chmod, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { PackageParts } from "./npm.ts";

const FILES = join(import.meta.dir, "debian");
const MAIN = resolve(import.meta.dir, "../main.ts");

/** Which executables the packages of Linux distributions have: those for every processor of their kind. */
export const PACKAGED: readonly string[] = ["linux-x64-baseline", "linux-arm64"];

/** A file that packages have as it stands in `debian/`, by its name there. */
export function packageFile(name: string): Blob {
  return Bun.file(join(FILES, name));
}

/** Puts all that a package installs into the directory `root`, which is emptied before. */
export async function makeTree(
  root: string,
  executable: string,
  texts: PackageParts["texts"],
): Promise<void> {
  await rm(root, { recursive: true, force: true });
  await putFile(join(root, "usr/bin/coffer"), Bun.file(executable), 0o755);
  for (const [unit, flags] of [
    ["service", []],
    ["socket", ["--socket"]],
  ] as const) {
    const text =
      await Bun.$`${process.execPath} ${MAIN} service print --systemd --program /usr/bin/coffer ${flags}`.text();
    await putFile(join(root, `usr/lib/systemd/system/coffer.${unit}`), text);
  }
  // It may hold secrets.
  await putFile(join(root, "etc/coffer/coffer.env"), packageFile("coffer.env"), 0o600);
  for (const { name, bytes } of texts) {
    const called = name === "LICENSE" ? "copyright" : name;
    await putFile(join(root, "usr/share/doc/coffer", called), new Blob([bytes]));
  }
}

/** Writes a file with a mode, and the directories that it is in. */
export async function putFile(path: string, content: Blob | string, mode = 0o644): Promise<void> {
  await Bun.write(path, content);
  await chmod(path, mode);
}
