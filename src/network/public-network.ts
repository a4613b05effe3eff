import type { lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { requireDescriptors } from "../process/descriptors.ts";
import { ipVersion, newIpList, type Subnet } from "../domain/network/address.ts";

export type PublicDocument = Awaited<ReturnType<typeof getPublic>>;

interface Bounds {
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

/** Blocks that are not the public internet (RFC 6890 and later), and a cloud's own services. */
const PRIVATE = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "168.63.129.16/32",
  // Inside of GLOBAL_V6; some have an IPv4 address in them.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
].map(subnetOf);
const GLOBAL_V6 = ["2000::/3"].map(subnetOf);

function subnetOf(block: string): Subnet {
  const [address = "", prefix] = block.split("/");
  return { address, prefix: Number(prefix), family: address.includes(":") ? "ipv6" : "ipv4" };
}

/** Not of this machine, its network, a cloud's metadata service, or an IPv4 address inside of an IPv6 one. */
export function isPublicAddress(address: string): boolean {
  if (address.includes("%")) return false;
  const isGlobal = ipVersion(address) === 4 || isIn(GLOBAL_V6, address);
  return isGlobal && !isIn(PRIVATE, address);
}

function isIn(subnets: readonly Subnet[], address: string): boolean {
  const family = ipVersion(address);
  if (family === 0) return false;
  const list = newIpList();
  for (const each of subnets) list.addSubnet(each.address, each.prefix, each.family);
  return list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** The address that a URL names itself; null if it names a server. */
function addressIn(url: URL): string | null {
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  return ipVersion(host) === 0 ? null : host;
}

/** What `localhost` leads to, and each name in it (RFC 6761, section 6.3). */
const LOOPBACK = ["127.0.0.1", "::1"];
const LOCALHOST = /^(?:.+\.)?localhost\.?$/;

/** Whether a URL itself says that `postPublic` would not connect. Where other names lead is known only then. */
export function leadsNowhere(url: URL, subnets: readonly Subnet[]): boolean {
  const named = LOCALHOST.test(url.hostname) ? LOOPBACK : [];
  const address = addressIn(url);
  const addresses = address === null ? named : [address];
  return addresses.length > 0 && !addresses.some((each) => mayConnect(url, each, subnets, isPublicAddress));
}

function mayConnect(
  { protocol }: URL,
  address: string,
  subnets: readonly Subnet[],
  isPublic: (address: string) => boolean,
): boolean {
  return isIn(subnets, address) || (protocol === "https:" && isPublic(address));
}

/** The server of a request is at an address that may not be connected to. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";

  constructor() {
    super("the server has no public address");
  }
}

/**
 * Gets a small document from a public server. The address is checked where it is connected to, so that no name can
 * lead to another one. No redirect is followed, and no proxy is used. Rejects if there is no whole response in time.
 */
export async function getPublic(url: URL, bounds: Bounds, network: PublicNetwork = {}) {
  const { isAllowed = isPublicAddress, ca } = network;
  if (url.protocol !== "https:" || addressIn(url) !== null) {
    throw new Error("only names of servers are asked, by https");
  }
  const headers = { accept: "application/json" };
  const signal = AbortSignal.timeout(bounds.timeMs);
  const { response, end } = await ask(url, { method: "GET", headers, signal, isAllowed, ca });
  const body = await bodyOf(response, bounds.bytes);
  if (body === null) {
    end();
    throw new Error(`the response has more than ${bounds.bytes} bytes`);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    cacheControl: response.headers["cache-control"] ?? "",
    body,
  };
}

/**
 * Posts to a server at a public address, or at one of the subnets; only there also without TLS. The address is checked
 * as for `getPublic`, also one that stands in the URL. Resolves with the status: of the response only `bytes` are read.
 * Rejects if there is no response, and with ForbiddenAddress.
 */
export async function postPublic(
  url: URL,
  post: Required<Pick<Asking, "headers" | "body" | "signal">>,
  {
    bytes,
    subnets,
    ...network
  }: PublicNetwork & { readonly bytes: number; readonly subnets: readonly Subnet[] },
): Promise<number> {
  const { isAllowed: isPublic = isPublicAddress, ca } = network;
  const isAllowed = (address: string) => mayConnect(url, address, subnets, isPublic);
  const { response, end } = await ask(url, { method: "POST", ...post, isAllowed, ca });
  try {
    await bodyOf(response, bytes);
  } catch {
    // The status is what counts, and it was sent.
  }
  end();
  return response.statusCode ?? 0;
}

interface Asking {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly isAllowed: (address: string) => boolean;
  readonly ca: string | undefined;
}

/** Sends a request on a connection of its own; resolves with the head of the response. */
async function ask(
  url: URL,
  { method, headers, body = "", signal, isAllowed, ca }: Asking,
): Promise<{ response: IncomingMessage; end: () => void }> {
  // Loaded at the first request: it takes long, and most servers make none.
  const [{ lookup: find }, http, https] = await Promise.all([
    import("node:dns"),
    import("node:http"),
    import("node:https"),
  ]);
  requireDescriptors();
  // An address in the URL is connected to without being looked up.
  const address = addressIn(url);
  if (address !== null && !isAllowed(address)) throw new ForbiddenAddress();
  const isPlain = url.protocol === "http:";
  const options: RequestOptions = {
    method,
    host: address ?? url.hostname,
    port: url.port === "" ? (isPlain ? 80 : 443) : Number(url.port),
    path: url.pathname + url.search,
    headers,
    agent: false,
    signal,
    lookup: checkedLookup(find, isAllowed),
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve, reject) => {
    const asking = (isPlain ? http : https).request(options, (response) => {
      resolve({ response, end: () => asking.destroy() });
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

function checkedLookup(
  find: typeof lookup,
  isAllowed: (address: string) => boolean,
): NonNullable<RequestOptions["lookup"]> {
  return (name, asked, answer) => {
    find(name, { ...asked, all: true }, (error, found) => {
      if (error !== null) return answer(error, "");
      // All: a name that also leads elsewhere is no name of a public server.
      const isFine = found.length > 0 && found.every(({ address }) => isAllowed(address));
      if (!isFine) return answer(new ForbiddenAddress(), "");
      if (asked.all === true) answer(null, found);
      else answer(null, found[0]?.address ?? "", found[0]?.family);
    });
  };
}

/** The body; null if it has more bytes than `limit`. Throws if it is cut off. */
async function bodyOf(response: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response) {
    if (!(piece instanceof Uint8Array)) continue;
    length += piece.length;
    if (length > limit) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
