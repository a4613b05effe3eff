/** One preference: a token, perhaps a value (a token, or a string in quotes), perhaps parameters. */
const PREFERENCE =
  /^[\t ]*([\w!#$%&'*+.^`|~-]+)(?:[\t ]*=[\t ]*([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?[\t ]*(?:;|$)/;

/** A longer header is not read: the time must be bounded, whatever is sent. */
const LONGEST = 1024;

/** Commas and semicolons in quotes separate nothing. */
const PARTS = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

/**
 * Whether a request prefers that what is not understood in it is passed over (RFC 7240, section 4.4). Of a preference
 * that is sent twice the first counts.
 */
export function prefersLenience(headers: Headers): boolean {
  const sent = headers.get("prefer");
  if (sent === null || sent.length > LONGEST) return false;
  for (const [part] of sent.matchAll(PARTS)) {
    const [, name = "", value = ""] = PREFERENCE.exec(part) ?? [];
    if (name.toLowerCase() === "handling") return value.replaceAll('"', "").toLowerCase() === "lenient";
  }
  return false;
}
