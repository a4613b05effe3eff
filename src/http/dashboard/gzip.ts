/**
 * Whether an Accept-Encoding header accepts gzip (RFC 9110, section 12.5.3): by name or by `*`, and not with a weight
 * of 0. Without the header nothing is compressed.
 */
export function acceptsGzip(header: string | null): boolean {
  const weights = new Map<string, number>();
  for (const item of (header ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/** The content, compressed at the highest level; null if that saves nothing. */
export function gzipped(content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const compressed = Bun.gzipSync(content, { level: 9 });
  return compressed.length < content.length ? compressed : null;
}
