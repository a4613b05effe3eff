import { lookup } from "node:dns";
import { request, type RequestOptions } from "node:https";
import { BlockList, isIP } from "node:net";
import { requireDescriptors } from "./descriptors.ts";

/** A document of another server. */
export interface PublicDocument {
  readonly status: number;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Uint8Array;
}

/** What a request may cost. */
export interface Bounds {
  /** Of the body. */
  readonly bytes: number;
  /** For all of it, in milliseconds. */
  readonly timeMs: number;
}

/** Which servers can be asked; for tests. */
export interface PublicNetwork {
  /** Whether an address may be connected to; `isPublicAddress` by default. */
  readonly isAllowed?: (address: string) => boolean;
  /** The certificates to trust instead of the runtime's, as PEM. */
  readonly ca?: string;
}

/** Blocks of IPv4 that are not the public internet (RFC 6890 and later), and a cloud's own services. */
const PRIVATE_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["168.63.129.16", 32],
] as const;

/** Blocks inside of 2000::/3 that are not the public internet, or have an IPv4 address in them. */
const PRIVATE_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

/**
 * Whether an address belongs to the public internet: not to this machine, its network, a cloud's metadata service, or
 * an IPv4 address inside of an IPv6 one.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return false;
  const blocked = new BlockList();
  if (family === 4) {
    for (const [block, prefix] of PRIVATE_V4) blocked.addSubnet(block, prefix, "ipv4");
    return !blocked.check(address, "ipv4");
  }
  const global = new BlockList();
  global.addSubnet("2000::", 3, "ipv6");
  for (const [block, prefix] of PRIVATE_V6) blocked.addSubnet(block, prefix, "ipv6");
  return global.check(address, "ipv6") && !blocked.check(address, "ipv6");
}

/**
 * Gets a small document from a public server. The address is checked where it is connected to, so that no name can
 * lead to another one. No redirect is followed, and no proxy is used. Rejects if there is no whole response in time.
 */
export function getPublic(url: URL, bounds: Bounds, network: PublicNetwork = {}): Promise<PublicDocument> {
  const { isAllowed = isPublicAddress, ca } = network;
  requireDescriptors();
  // An address in the URL would be connected to without being looked up.
  if (url.protocol !== "https:" || isIP(url.hostname.replaceAll(/[[\]]/g, "")) !== 0) {
    return Promise.reject(new Error("only names of servers are asked, by https"));
  }
  const options: RequestOptions = {
    host: url.hostname,
    port: url.port === "" ? 443 : Number(url.port),
    path: url.pathname + url.search,
    headers: { accept: "application/json" },
    agent: false,
    signal: AbortSignal.timeout(bounds.timeMs),
    lookup: (name, asked, answer) => {
      lookup(name, { ...asked, all: true }, (error, found) => {
        if (error !== null) return answer(error, "");
        // All: a name that also leads elsewhere is no name of a public server.
        const isFine = found.length > 0 && found.every(({ address }) => isAllowed(address));
        if (!isFine) return answer(new Error("the server has no public address"), "");
        if (asked.all === true) answer(null, found);
        else answer(null, found[0]?.address ?? "", found[0]?.family);
      });
    },
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve, reject) => {
    const asking = request(options, (response) => {
      const pieces: Uint8Array[] = [];
      let length = 0;
      response.on("data", (piece: Uint8Array) => {
        length += piece.length;
        if (length <= bounds.bytes) pieces.push(piece);
        else {
          // First: what is destroyed may still end as if it were whole.
          reject(new Error(`the response has more than ${bounds.bytes} bytes`));
          asking.destroy();
        }
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers["content-type"] ?? "",
          cacheControl: response.headers["cache-control"] ?? "",
          body: Buffer.concat(pieces),
        }),
      );
    });
    asking.on("error", reject);
    asking.end();
  });
}
