/**
 * A version as packages of Debian and Fedora have it: they take `0.1.0~rc.1` for older than `0.1.0`, as npm does
 * `0.1.0-rc.1`, which would be newer to Debian, and which RPM refuses. The names of files keep the dash.
 */
export function linuxVersion(version: string): string {
  return version.replaceAll("-", "~");
}
