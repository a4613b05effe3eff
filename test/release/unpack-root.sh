#!/bin/sh
# Makes the root of a machine that has only what the base of this machine's Debian or Ubuntu has, and a user `ada`. Nothing
# of the packages is run: they are unpacked, and said to be installed. For `sh unpack-root.sh ROOT [PACKAGE]...`, as root,
# on a machine that knows the lists of apt; with more packages, and what they need.
set -eu
root=$1
shift
packages=$root.packages
mkdir -p "$root" "$packages/partial"

: >"$packages/none"
# As if nothing were installed, this asks for all that is essential, and apt.
apt-get -qq -y --download-only -o Dir::State::status="$packages/none" -o Dir::Cache::archives="$packages" \
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
  -o APT::Install-Recommends=false dist-upgrade adduser usr-is-merged "$@"

for name in bin sbin lib lib64; do
  mkdir -p "$root/usr/$name"
  ln -s "usr/$name" "$root/$name"
done
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
for package in "$packages"/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root" \
    --exclude "./usr/share/doc/*" --exclude "./usr/share/locale/*" --exclude "./usr/share/man/*"
  { dpkg-deb --field "$package" | sed "1a Status: install ok installed"; echo; } >>"$root/var/lib/dpkg/status"
done
rm -r "$packages"
for name in passwd group; do cp "$root/usr/share/base-passwd/$name.master" "$root/etc/$name"; done
echo "ada:x:1000:1000::/home/ada:/bin/sh" >>"$root/etc/passwd"
echo "ada:x:1000:" >>"$root/etc/group"
mkdir "$root/home/ada"
chown 1000:1000 "$root/home/ada"
