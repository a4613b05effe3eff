/** A block of addresses (CIDR, RFC 4632 and RFC 4291 section 2.3), or a single one with all of its bits. */
export interface Subnet {
  /** IPv4 or IPv6, without a zone. */
  readonly address: string;
  /** How many leading bits count. */
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}
