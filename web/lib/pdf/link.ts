const SCHEMES = ["http:", "https:", "mailto:"];

/** The address that a link of a document leads to, in letters that all browsers show alike; null for other links. */
export function linkOf(url: unknown): string | null {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  return parsed !== null && SCHEMES.includes(parsed.protocol) ? parsed.href : null;
}
