/** The URL by which a server that listens on `host` is reached from its own machine; no trailing slash. */
export function localAddress(host: string, port: number): string {
  return `http://${reachable(host)}:${port}`;
}

function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
