import { BlockList, isIP } from "node:net";

/** Tells who a request comes from, given the socket's peer and the `X-Forwarded-For` header. */
export type ClientOf = (peer: string | undefined, forwardedFor: string | null) => string;

/**
 * Makes the function that names a request's client for counting: an IPv4 address, or an IPv6
 * network of 64 bits, since one subscriber holds at least that many addresses.
 * `trustedProxies` are addresses and CIDR networks; only what they say in `X-Forwarded-For` is
 * believed, and each only about the hop before it, so the last untrusted hop is the client.
 * Throws on an entry that is neither.
 */
export function clientAddresses(trustedProxies: readonly string[]): ClientOf {
  const isTrusted = trustedAddresses(trustedProxies);
  return (peer, forwardedFor) => {
    let client = normalise(peer ?? "");
    if (client === null) return "unknown";
    if (forwardedFor !== null && trustedProxies.length > 0) {
      const hops = forwardedFor.split(",");
      for (let i = hops.length - 1; i >= 0 && isTrusted(client); i--) {
        const hop = normalise((hops[i] ?? "").trim());
        if (hop === null) break;
        client = hop;
      }
    }
    return bucketOf(client);
  };
}

/** Makes the function that tells whether a socket's peer is a trusted proxy. Throws as `clientAddresses`. */
export function trustedPeers(trustedProxies: readonly string[]): (peer: string | undefined) => boolean {
  const isTrusted = trustedAddresses(trustedProxies);
  return (peer) => {
    const address = normalise(peer ?? "");
    return address !== null && isTrusted(address);
  };
}

function trustedAddresses(entries: readonly string[]): (normalised: string) => boolean {
  const trusted = new BlockList();
  for (const entry of entries) addTrusted(trusted, entry);
  return (address) => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

function addTrusted(list: BlockList, entry: string): void {
  const [network = "", prefix] = entry.split("/");
  const address = normalise(network);
  if (address === null) throw new Error(`${entry} is neither an IP address nor a network`);
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (prefix === undefined) return list.addAddress(address, family);
  // A network written in the IPv4-mapped form counts its 96 leading bits as well.
  const mapped = family === "ipv4" && network.includes(":");
  list.addSubnet(address, Number(prefix) - (mapped ? 96 : 0), family);
}

/** An address without zone, and in IPv4 form where it is an IPv4 one mapped into IPv6 (RFC 4291, 2.5.5.2). */
function normalise(text: string): string | null {
  const address = text.split("%", 1)[0] ?? "";
  const family = isIP(address);
  if (family === 0) return null;
  if (family === 4) return address;
  const groups = expand(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return address;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function bucketOf(address: string): string {
  if (isIP(address) === 4) return address;
  const network = expand(address).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

/** The eight 16-bit groups of a well-formed IPv6 address. */
function expand(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const left = groupsOf(head);
  if (tail === undefined) return left;
  const right = groupsOf(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function groupsOf(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
