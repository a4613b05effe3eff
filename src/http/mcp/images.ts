/** How the contents of images begin that models can see, as Latin-1. For WebP see `imageTypeOf`. */
const BEGINNINGS = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
] as const;
const WEBP = "image/webp";

/** The type of an image by its first bytes; null for anything else. A false type would fail a model's next request. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return WEBP;
  return BEGINNINGS.find(([, beginning]) => start.startsWith(beginning))?.[0] ?? null;
}

/** Whether a file says that it is an image that models can see. */
export function isImageType(mimeType: string): boolean {
  return mimeType === WEBP || BEGINNINGS.some(([type]) => type === mimeType);
}
