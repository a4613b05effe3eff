#!/bin/sh
# Makes a root that a machine of its own can boot: systemd, and a kernel's modules for its network. Its kernel is in
# ROOT.kernel/boot. For `sh emulated-root.sh ROOT`, as root, on a machine that knows the lists of apt of Debian.
set -eu
root=$1
kernel=$root.kernel
sh "$(dirname "$0")/unpack-root.sh" "$root" systemd systemd-sysv busybox-static

# The kernel for virtual machines is small, and has ext4 and NVMe in itself: so no initial RAM disk is needed.
mkdir -p "$kernel"
package=$(apt-cache depends linux-image-cloud-amd64 | sed -n "s/^ *Depends: \(linux-image-.*\)/\1/p" | head -n 1)
(cd "$kernel" && apt-get -qq download -o APT::Sandbox::User=root "$package" && dpkg-deb -x ./*.deb .)
for directory in "$kernel"/lib/modules/*; do
  modules=$root${directory#"$kernel"}
  mkdir -p "$modules"
  for name in drivers/virtio net/core/failover.ko drivers/net/net_failover.ko drivers/net/virtio_net.ko; do
    cp -r "$directory/kernel/$name" "$modules"
  done
done

echo emulated >"$root/etc/hostname"
# With none, systemd would take this for the first start of a machine, and enable all that there is.
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
units=$root/etc/systemd/system
mkdir -p "$units/multi-user.target.wants" "$units/sockets.target.wants" \
  "$units/graphical.target.wants"

cat >"$units/wire.service" <<"EOF"
[Unit]
Description=The network of an emulated machine
DefaultDependencies=no
Wants=network.target
Before=network.target network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/busybox depmod
ExecStart=/bin/busybox modprobe virtio_pci
ExecStart=/bin/busybox modprobe virtio_net
ExecStart=/bin/busybox ip link set eth0 up
ExecStart=/bin/busybox ip addr add 10.0.2.15/24 dev eth0
ExecStart=/bin/busybox ip route add default via 10.0.2.2
EOF
ln -s ../wire.service "$units/multi-user.target.wants/"

# Each connection sends a script that ends with a zero byte, and gets what it prints, a zero byte and its exit code.
cat >"$units/script.socket" <<"EOF"
[Socket]
ListenStream=1000
Accept=yes
EOF
ln -s ../script.socket "$units/sockets.target.wants/"
cat >"$units/script@.service" <<"EOF"
[Service]
StandardInput=socket
StandardOutput=socket
StandardError=socket
Environment=DEBIAN_FRONTEND=noninteractive
ExecStart=/bin/bash -c 'IFS= read -r -d "" script; code=0; bash -euc "$script" </dev/null || code=$$?; printf "\\0%%d" "$$code"'
EOF

cat >"$units/up.service" <<"EOF"
[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c "echo up: all is started >/dev/ttyS0"
EOF
ln -s ../up.service "$units/graphical.target.wants/"
