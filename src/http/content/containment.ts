import { essenceOf } from "../../domain/contents/media-type.ts";

/** Headers that stop uploaded content from running in our origin. */
export const CONTAINED = { "content-security-policy": "sandbox; default-src 'none'" };

export const CONTAINED_HEADERS = {
  "Content-Security-Policy": "`sandbox; default-src 'none'`: uploaded content cannot run scripts.",
};

/** Types that a browser shows without running anything in them. HTML, SVG and XML are never among them. */
const INERT_TYPE =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff|x-icon|vnd\.microsoft\.icon)|(audio|video)\/[\w.+-]+|text\/(plain|csv|markdown)|application\/(json|pdf))$/;

export function isInertType(mimeType: string): boolean {
  return INERT_TYPE.test(essenceOf(mimeType));
}

/** Most names: both forms leave them unchanged. */
const SAME_IN_BOTH = /^[\w.-]+$/;

/** Names a file in plain ASCII and in any script: RFC 8187 (RFC 6266, appendix D). */
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
