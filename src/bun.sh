# Puts Bun 1.4.4 first on the PATH of the script that reads this with `. src/bun.sh`. It comes from npm, unless it
# is on the PATH already. Where there is no npx, the script has to do with the Bun that runs it.
version=1.4.4
find_with_npx() {
  npx --yes --loglevel=error --package="bun@$version" --call='command -v bun' "$@"
}
if [ "$(bun --version 2>/dev/null)" != "$version" ] && command -v npx >/dev/null; then
  if ! bun=$(find_with_npx --offline 2>/dev/null); then
    echo "Downloading Bun $version from npm, about 50 MB, this once." >&2
    bun=$(find_with_npx) || return
  fi
  PATH=${bun%/*}:$PATH
  # Bun needs its install script. npm runs none where it is told not to, and from version 12 on by itself.
  if ! bun --version >/dev/null 2>&1; then
    (cd "${bun%/*}/../bun" && node install.js) || return
  fi
fi
