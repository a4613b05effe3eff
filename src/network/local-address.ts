import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { ipVersion } from "../domain/network/address.ts";

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
  interfaces: NodeJS.Dict<
    readonly Pick<NetworkInterfaceInfo, "address" | "internal">[]
  > = networkInterfaces(),
): string[] {
  const addresses = Object.values(interfaces)
    .flatMap((card) => card ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .filter((address) => !/^fe[89ab]/i.test(address) && covers(host, address));
  return [...new Set(addresses)]
    .toSorted((a, b) => ipVersion(a) - ipVersion(b))
    .map((address) => urlOf(address, port));
}

/** Whether a server that listens on `host` accepts connections to `address`. */
function covers(host: string, address: string): boolean {
  if (host === "::") return true;
  return host === "0.0.0.0" ? ipVersion(address) === 4 : host === address;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
