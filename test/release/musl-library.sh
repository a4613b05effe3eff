#!/bin/sh
# Makes Debian's libstdc++ into one for musl, where Alpine would have its own. For `sh musl-library.sh DIRECTORY`. It needs
# musl-tools, and the package of libstdc++ that ends in `-pic`. Fails if the library cannot be loaded.
set -eu
parts=$(dirname "$(gcc -print-file-name=libstdc++_pic.a)")
musl-gcc -shared -fPIC -o "$1/libstdc++.so.6" -Wl,-soname,libstdc++.so.6 "$(dirname "$0")/musl-library.c" \
  -Wl,--whole-archive "$parts/libstdc++_pic.a" -Wl,--no-whole-archive "$parts/libgcc.a" "$parts/libgcc_eh.a" \
  -Wl,--version-script="$parts/libstdc++_pic.map"
ln -s /lib/ld-musl-x86_64.so.1 "$1/libc.musl-x86_64.so.1"
/lib/ld-musl-x86_64.so.1 --list "$1/libstdc++.so.6"
