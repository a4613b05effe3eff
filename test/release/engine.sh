#!/bin/sh
# Runs a Docker engine that keeps all in PLACE, touches no network of this machine, and is gone with all that it runs when
# this ends. For `unshare --mount --propagation private --pid --fork --kill-child sh engine.sh PLACE`, as root.
set -eu
place=$1
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
# Here it would write a key, and read what this machine's own engine is told.
mkdir -p /etc/docker
mount -t tmpfs tmpfs /etc/docker
# What lowers its own chance to be killed needs a privilege that containers, which may run this, do not have.
exec dockerd --host "unix://$place/socket" --data-root "$place/data" --exec-root "$place/exec" \
  --pidfile "$place/pid" --storage-driver overlay2 --bridge none --iptables=false --ip6tables=false \
  --ip-forward=false --ip-masq=false --oom-score-adjust 0
