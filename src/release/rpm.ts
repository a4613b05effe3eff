import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Executable } from "./executables.ts";
import type { PackageParts } from "./npm.ts";
import { makeTree } from "./package-tree.ts";

const ARCHITECTURES = { x64: "x86_64", arm64: "aarch64" } as const;

/** Writes the RPM package of an executable into a directory. It needs `rpmbuild`. Returns its path. */
export async function writeRpm(
  directory: string,
  { platform, path }: Executable,
  { version, seconds, texts }: PackageParts,
): Promise<string> {
  const architecture = ARCHITECTURES[platform.cpu];
  const work = resolve(`${path}.rpm`);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await makeTree(join(work, "tree"), path, texts);
  await Bun.write(join(work, "coffer.spec"), spec(version));
  const epoch = `SOURCE_DATE_EPOCH=${seconds}`;
  const defines = [`_topdir ${work}`, `tree ${work}/tree`].flatMap((line) => ["--define", line]);
  await Bun.$`env ${epoch} rpmbuild -bb --quiet --target ${architecture}-linux ${defines} ${work}/coffer.spec`.quiet();
  const name = `coffer-${version}-1.${architecture}.rpm`;
  const written = join(directory, name);
  await Bun.write(written, Bun.file(join(work, "RPMS", architecture, name)));
  await rm(work, { recursive: true });
  return written;
}

/** What the package is made of. Nothing looks into the executable, or strips it: that would take Coffer out of it. */
function spec(version: string): string {
  return `%global __strip /bin/true
%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
%global _buildhost coffer
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global _binary_payload w10.zstdio
Name: coffer
Version: ${version}
Release: 1
Summary: Cloud drive for software agents and the humans who own them
License: MIT
AutoReqProv: no
Requires: glibc
Requires(pre): /usr/sbin/useradd

%description
Keeps files for agents and people, over HTTP and as an MCP server: with
search, versions, links and a dashboard, in one data directory.

%install
cp -a %{tree}/. %{buildroot}/

%pre
getent passwd coffer >/dev/null || useradd --system --user-group --no-create-home --home-dir /var/lib/coffer --shell /sbin/nologin coffer

%post
install -d -m 0700 -o coffer -g coffer /var/lib/coffer
[ ! -d /run/systemd/system ] || { systemctl daemon-reload && systemctl try-restart coffer.service; }

%preun
[ "$1" != 0 ] || [ ! -d /run/systemd/system ] || systemctl disable --now --quiet coffer.service

%files
%defattr(-,root,root,-)
/usr/bin/coffer
/usr/lib/systemd/system/coffer.service
%dir /etc/coffer
%config(noreplace) %attr(0600,root,root) /etc/coffer/coffer.env
/usr/share/doc/coffer
`;
}
