/** Where a request came from, as the audit log keeps it. */
export interface Origin {
  /** The IP address of the client, behind trusted proxies; null if it is unknown. */
  readonly address: string | null;
  /** The start of its User-Agent; null if there was none. */
  readonly userAgent: string | null;
  /** As in `X-Request-Id` of the response. */
  readonly requestId: string;
}
