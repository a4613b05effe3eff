import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interface = Pick<NetworkInterfaceInfo, "address" | "internal"> & { readonly family: string };

/** The URL for reaching, from the same machine, a server that listens on `host`; no trailing slash. */
export function localAddress(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host;
  return urlOf(reachable === "::" ? "::1" : reachable, port);
}

/** The same, for people: `http://localhost:PORT` if that reaches the server. */
export function ownAddress(host: string, port: number): string {
  const isLocalhost = ["0.0.0.0", "127.0.0.1", "::", "::1"].includes(host);
  return urlOf(isLocalhost ? "localhost" : host, port);
}

/** Where other machines may reach a server on `host`; IPv4 first, no link-local ones, which browsers cannot open. */
export function networkAddresses(
  host: string,
  port: number,
  interfaces: NodeJS.Dict<readonly Interface[]> = networkInterfaces(),
): string[] {
  const reached = Object.values(interfaces)
    .flatMap((card) => card ?? [])
    .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
    .filter((card) => covers(host, card))
    .toSorted((a, b) => Number(a.family !== "IPv4") - Number(b.family !== "IPv4"));
  return [...new Set(reached.map(({ address }) => urlOf(address, port)))];
}

/** Whether a server that listens on `host` accepts connections to this address. */
function covers(host: string, { address, family }: Interface): boolean {
  if (host === "::") return true;
  return host === "0.0.0.0" ? family === "IPv4" : host === address;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
