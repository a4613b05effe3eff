#!/bin/sh
# Mounts a root of its own, which has nothing of this machine's file systems: what is in LOWER, with all changes in
# PLACE/upper. It is at PLACE/root, for the command alone that follows. For `unshare --mount --propagation private --pid
# --fork --kill-child sh mount-root.sh LOWER PLACE COMMAND...`, as root.
set -eu
lower=$1
place=$2
shift 2
root=$place/root
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$place/upper,workdir=$place/work" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mkdir -m 1777 "$root/dev/shm"
# No `exec`: a change of the user would undo that this ends with its parent.
"$@"
