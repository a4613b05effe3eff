/** What a server proves with who it is. The key is secret. */
export interface TlsPair {
  /** Its certificate first, then those that vouch for it; PEM. */
  readonly cert: string;
  /** The private key of the first certificate; PEM. */
  readonly key: string;
}
