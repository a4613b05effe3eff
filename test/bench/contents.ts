/** Bytes of a large content. */
export const LARGE = 100 * 1024 * 1024;

/** Megabytes of a large content. */
export const LARGE_MB = LARGE / 1e6;

/** Other bytes each time: random ones, repeated. */
export function largeBytes(): Uint8Array<ArrayBuffer> {
  return Buffer.alloc(LARGE, crypto.getRandomValues(new Uint8Array(48 * 1024)));
}

/** The same in base64, as JSON has it. */
export function largeBase64(): Uint8Array<ArrayBuffer> {
  // Without padding, a multiple of four characters: nearly 100 MiB.
  return Buffer.alloc(
    Math.floor(LARGE / 3) * 4,
    crypto.getRandomValues(new Uint8Array(48 * 1024)).toBase64(),
  );
}

/** The record of a file, the same for every peer, and of the same length. */
export function recordOf(n: number) {
  return {
    path: `many/${String(n).padStart(7, "0")}.txt`,
    filename: "first.txt",
    mime_type: "text/plain",
    size: RECORD_TEXT.length,
    content_hash: `sha256:${"0123456789abcdef".repeat(4)}`,
    content_preview: RECORD_TEXT,
    tags: [],
    metadata: {},
    expires_at: null,
    created_at: "2030-01-02T03:04:05.678Z",
    updated_at: "2030-01-02T03:04:05.678Z",
  };
}

/** What is in the files that the records are about. */
export const RECORD_TEXT = "The same text in every one of the many files.";
