import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Executable } from "./executables.ts";
import { linuxVersion } from "./linux-version.ts";
import type { PackageParts } from "./npm.ts";
import { makeTree, packageFile, putFile } from "./package-tree.ts";

const ARCHITECTURES = { x64: "amd64", arm64: "arm64" } as const;

/** How the package is compressed. The fastest level of xz: others take minutes for a few percent. */
const COMPRESSION = ["-Zxz", "-z1"];

/**
 * Writes the Debian package of an executable into a directory. It needs `dpkg-deb`. Returns its path.
 *
 * @param compression flags of `dpkg-deb`
 */
export async function writeDeb(
  directory: string,
  { platform, path }: Executable,
  { version, seconds, texts }: PackageParts,
  compression: readonly string[] = COMPRESSION,
): Promise<string> {
  const architecture = ARCHITECTURES[platform.cpu];
  const root = `${path}.deb-root`;
  await makeTree(root, path, texts);
  await putFile(join(root, "DEBIAN/control"), control(version, architecture));
  await putFile(join(root, "DEBIAN/conffiles"), "/etc/coffer/coffer.env\n");
  for (const script of ["postinst", "prerm", "postrm"])
    await putFile(join(root, "DEBIAN", script), packageFile(script), 0o755);

  const debian = join(directory, `coffer_${version}_${architecture}.deb`);
  const epoch = `SOURCE_DATE_EPOCH=${seconds}`;
  await Bun.$`env ${epoch} dpkg-deb --root-owner-group ${compression} --build ${root} ${debian}`.quiet();
  await rm(root, { recursive: true });
  return debian;
}

function control(version: string, architecture: string): string {
  return `Package: coffer
Version: ${linuxVersion(version)}
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
