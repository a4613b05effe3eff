import { type IpList, ipVersion, newIpList, type Subnet } from "../../domain/network/address.ts";

/** Finds a request's client from the socket's peer and the `X-Forwarded-For` header. */
export type ClientOf = (peer: string | undefined, forwardedFor: string | null) => string;

/**
 * Makes what names a client for counting: an IPv4 address, or an IPv6 network of 64 bits, as one subscriber has at least
 * that many addresses. `X-Forwarded-For` counts only from trusted proxies: the client is the last untrusted hop.
 */
export function clientAddresses(trustedProxies: readonly Subnet[]): ClientOf {
  const addressOf = addressesBehind(trustedProxies);
  return (peer, forwardedFor) => {
    const client = addressOf(peer, forwardedFor);
    return client === null ? "unknown" : bucketOf(client);
  };
}

/** The whole address of a request's client; null if it is unknown. */
export type AddressOf = (peer: string | undefined, forwardedFor: string | null) => string | null;

/** Makes what finds the address of a client behind proxies, in the form of `normalise`. */
export function addressesBehind(trustedProxies: readonly Subnet[]): AddressOf {
  const isTrusted = trustedAddresses(trustedProxies);
  return (peer, forwardedFor) => {
    let client = normalise(peer ?? "");
    if (client === null) return null;
    if (forwardedFor !== null && trustedProxies.length > 0) {
      const hops = forwardedFor.split(",");
      for (let i = hops.length - 1; i >= 0 && isTrusted(client); i--) {
        const hop = normalise((hops[i] ?? "").trim());
        if (hop === null) break;
        client = hop;
      }
    }
    return client;
  };
}

/** Makes the function that checks whether a socket's peer is a trusted proxy. */
export function trustedPeers(trustedProxies: readonly Subnet[]): (peer: string | undefined) => boolean {
  const isTrusted = trustedAddresses(trustedProxies);
  return (peer) => {
    const address = normalise(peer ?? "");
    return address !== null && isTrusted(address);
  };
}

function trustedAddresses(subnets: readonly Subnet[]): (normalised: string) => boolean {
  if (subnets.length === 0) return () => false;
  const trusted = newIpList();
  for (const subnet of subnets) addTrusted(trusted, subnet);
  return (address) => trusted.check(address, ipVersion(address) === 6 ? "ipv6" : "ipv4");
}

function addTrusted(list: IpList, { address, prefix, family }: Subnet): void {
  const normalised = normalise(address) ?? address;
  // In an IPv4-mapped block the prefix includes the 96 leading bits.
  if (family === "ipv6" && ipVersion(normalised) === 4) list.addSubnet(normalised, prefix - 96, "ipv4");
  else list.addSubnet(normalised, prefix, family);
}

/** An address without its zone, in the one form of eight groups; IPv4-mapped (RFC 4291, 2.5.5.2) as IPv4; or null. */
export function normalise(text: string): string | null {
  const address = text.split("%", 1)[0] ?? "";
  const family = ipVersion(address);
  if (family === 0) return null;
  if (family === 4) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups.map((group) => group.toString(16)).join(":");
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight 16-bit groups of an IPv6 address. The runtime's URL parser would not do: it refuses `::0:0:0:0:0.0.0.0`. */
function groupsOf(address: string): number[] {
  const [left = [], right] = address.split("::").map(someGroups);
  if (right === undefined) return left;
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function someGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

function bucketOf(normalised: string): string {
  if (ipVersion(normalised) === 4) return normalised;
  return `${normalised.split(":").slice(0, 4).join(":")}::/64`;
}
