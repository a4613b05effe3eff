/** How a text may be stored: with or without a byte order mark. */
export const ENCODINGS = ["utf-8", "utf-8 with a mark", "utf-16le", "utf-16be"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A text as it is stored. */
export function encoded(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return new Uint8Array(Buffer.from(text));
  if (encoding === "utf-8 with a mark") return new Uint8Array(Buffer.from(`\ufeff${text}`));
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return new Uint8Array(encoding === "utf-16be" ? bytes.swap16() : bytes);
}
