#!/bin/sh
# Installs a Debian package, serves, upgrades, removes and purges it, on top of this machine without changing it, and
# prints what is seen. For `unshare --mount sh deb-life.sh DIRECTORY PACKAGE`, as root.
set -eu
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --bind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
cp "$2" "$1/root/root/old.deb"

exec chroot "$1/root" sh -eu <<'INSIDE'
cd /root
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
# Nothing is told to the systemd of the machine.
rm -rf /run/systemd/system
there() { if [ -e "$1" ]; then echo "$1 is there"; else echo "$1 is not there"; fi; }

echo "== installed"
dpkg -i old.deb >/dev/null
stat -c "%A %U %n" /usr/bin/coffer /etc/coffer/coffer.env /var/lib/coffer
. /etc/coffer/coffer.env
as_coffer="setpriv --reuid coffer --regid coffer --clear-groups env COFFER_DATA_DIR=$COFFER_DATA_DIR"
$as_coffer COFFER_HOST=127.0.0.1 COFFER_PORT=0 coffer serve >log 2>&1 &
server=$!
until grep -q '"coffer is ready"' log; do
  kill -0 "$server" || { cat log; exit 1; }
  sleep 0.1
done
kill "$server"
wait "$server"
there /var/lib/coffer/coffer.db

echo "== upgraded"
echo "# changed by hand" >>/etc/coffer/coffer.env
dpkg-deb -R old.deb new && sed -i "s/^Version: .*/Version: 99.0.0/" new/DEBIAN/control
dpkg-deb -Znone -b new new.deb >/dev/null
dpkg -i new.deb >/dev/null
dpkg-query -W -f '${Version}\n' coffer
tail -n 1 /etc/coffer/coffer.env
$as_coffer coffer verify --quick >/dev/null && echo "the store is whole"

echo "== removed"
dpkg -r coffer >/dev/null
there /usr/bin/coffer
there /etc/coffer/coffer.env

echo "== purged"
dpkg -P coffer 2>/dev/null >/dev/null
there /etc/coffer/coffer.env
there /var/lib/coffer/coffer.db
dpkg -i old.deb >/dev/null
COFFER_PURGE_DATA=yes dpkg -P coffer >/dev/null
there /var/lib/coffer
INSIDE
