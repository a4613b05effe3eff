import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Executable } from "./executables.ts";
import type { PackageParts } from "./npm.ts";

const FILES = join(import.meta.dir, "debian");
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" } as const;

/** Which executables Debian's packages have: those for every processor of their kind. */
export const DEB_PLATFORMS: readonly string[] = ["linux-x64-baseline", "linux-arm64"];

/** Writes the Debian package of an executable into a directory. It needs `dpkg-deb`. Returns its path. */
export async function writeDeb(
  directory: string,
  { platform, path }: Executable,
  { version, seconds, texts }: PackageParts,
): Promise<string> {
  const architecture = ARCHITECTURES[platform.cpu];
  const root = `${path}.deb-root`;
  await rm(root, { recursive: true, force: true });
  const put = (name: string, content: Uint8Array | string | Blob, mode = 0o644) =>
    putFile(join(root, name), content, mode);
  await put("usr/bin/coffer", Bun.file(path), 0o755);
  await put("usr/lib/systemd/system/coffer.service", own("coffer.service"));
  // It may hold secrets.
  await put("etc/coffer/coffer.env", own("coffer.env"), 0o600);
  for (const { name, bytes } of texts)
    await put(`usr/share/doc/coffer/${name === "LICENSE" ? "copyright" : name}`, bytes);
  await put("DEBIAN/control", control(version, architecture));
  await put("DEBIAN/conffiles", "/etc/coffer/coffer.env\n");
  for (const script of ["postinst", "prerm", "postrm"]) await put(`DEBIAN/${script}`, own(script), 0o755);

  const debian = join(directory, `coffer_${version}_${architecture}.deb`);
  // The fastest level of xz: others take minutes for a few percent.
  const epoch = `SOURCE_DATE_EPOCH=${seconds}`;
  await Bun.$`env ${epoch} dpkg-deb --root-owner-group -Zxz -z1 --build ${root} ${debian}`.quiet();
  await rm(root, { recursive: true });
  return debian;
}

/** A file of every package. */
function own(name: string): Blob {
  return Bun.file(join(FILES, name));
}

async function putFile(path: string, content: Uint8Array | string | Blob, mode: number): Promise<void> {
  await Bun.write(path, content);
  await chmod(path, mode);
}

function control(version: string, architecture: string): string {
  return `Package: coffer
Version: ${version}
Architecture: ${architecture}
Maintainer: Coffer <coffer@localhost>
Section: net
Priority: optional
Depends: adduser, libc6 (>= 2.17)
Description: cloud drive for software agents and the humans who own them
 Keeps files for agents and people, over HTTP and as an MCP server: with
 search, versions, links and a dashboard, in one data directory.
`;
}
