/** Most names: both forms leave them unchanged. */
const SAME_IN_BOTH = /^[\w.-]+$/;

/**
 * A Content-Disposition for a file name in any script: a plain-ASCII fallback, and the name itself in the encoding of
 * RFC 8187 (RFC 6266, appendix D).
 */
export function contentDisposition(type: "attachment" | "inline", filename: string): string {
  if (SAME_IN_BOTH.test(filename)) return `${type}; filename="${filename}"; filename*=UTF-8''${filename}`;
  const fallback = filename.replaceAll(/[^ -~]/gu, "_").replaceAll(/["\\%]/g, "_");
  return `${type}; filename="${fallback}"; filename*=UTF-8''${encodeExtended(filename)}`;
}

/** Percent-encodes everything that is not an `attr-char` of RFC 8187, section 3.2.1. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
