import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interface = Pick<NetworkInterfaceInfo, "address" | "internal"> & { readonly family: string };

/** Where a server listens, and what it speaks there. */
export interface Listening {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
}

/** Where a server with these settings is. */
export function listeningOf({
  host,
  port,
  tls,
}: Omit<Listening, "scheme"> & { readonly tls: object | null }): Listening {
  return { scheme: tls === null ? "http" : "https", host, port };
}

/** The URL for reaching a server from the same machine; no trailing slash. */
export function localAddress(listening: Listening): string {
  const { host } = listening;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host;
  return urlOf(listening, reachable === "::" ? "::1" : reachable);
}

/** The same, for people: `http://localhost:PORT` if that reaches the server. */
export function ownAddress(listening: Listening): string {
  const { host } = listening;
  const isLocalhost = ["0.0.0.0", "127.0.0.1", "::", "::1"].includes(host);
  return urlOf(listening, isLocalhost ? "localhost" : host);
}

/** Where other machines may reach a server; IPv4 first, no link-local ones, which browsers cannot open. */
export function networkAddresses(
  listening: Listening,
  interfaces: NodeJS.Dict<readonly Interface[]> = networkInterfaces(),
): string[] {
  const reached = Object.values(interfaces)
    .flatMap((card) => card ?? [])
    .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
    .filter((card) => covers(listening.host, card))
    .toSorted((a, b) => Number(a.family !== "IPv4") - Number(b.family !== "IPv4"));
  return [...new Set(reached.map(({ address }) => urlOf(listening, address)))];
}

/** Whether a server that listens on `host` accepts connections to this address. */
function covers(host: string, { address, family }: Interface): boolean {
  if (host === "::") return true;
  return host === "0.0.0.0" ? family === "IPv4" : host === address;
}

function urlOf({ scheme, port }: Listening, host: string): string {
  // Without a port that is the scheme's own.
  return new URL(`${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`).origin;
}
