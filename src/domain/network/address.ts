import { once } from "../once.ts";

/** Loaded when it is first used: with the streams that it needs it takes milliseconds of a start. */
const nodeNet = once(() => process.getBuiltinModule("node:net"));

const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = new RegExp(`^(?:${BYTE}\\.){3}${BYTE}$`);

/** The version of the Internet Protocol that an address is of; 0 if the text is no address. IPv6 may have a zone. */
export function ipVersion(text: string): 4 | 6 | 0 {
  if (IPV4.test(text)) return 4;
  return text.includes(":") && nodeNet().isIPv6(text) ? 6 : 0;
}

/** A list of addresses and blocks of them; see `BlockList` of `node:net`. */
export type IpList = InstanceType<ReturnType<typeof nodeNet>["BlockList"]>;

export function newIpList(): IpList {
  return new (nodeNet().BlockList)();
}

/** A block of addresses (CIDR, RFC 4632 and RFC 4291 section 2.3); a single address has all bits as its prefix. */
export interface Subnet {
  /** IPv4 or IPv6, without a zone. */
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** The origins whose pages may call the API with a key: all, or exactly these; none if the list is empty. */
export type AllowedOrigins = "*" | readonly string[];
