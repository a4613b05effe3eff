/** A block of addresses (CIDR, RFC 4632 and RFC 4291 section 2.3); a single address has all bits as its prefix. */
export interface Subnet {
  /** IPv4 or IPv6, without a zone. */
  readonly address: string;
  /** The number of leading bits that are compared. */
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}
