/** How many bytes are read at once; even, for UTF-16. */
const PIECE_BYTES = 128 * 1024;

/**
 * The bytes of a content from a position on, in pieces. Others have their turn in between: `content.stream()` reads
 * half a MiB at a time, and lets nothing else run.
 */
export async function* contentPieces(content: Blob, from = 0): AsyncGenerator<Uint8Array> {
  for (let at = from; at < content.size; at += PIECE_BYTES) {
    yield await content.slice(at, at + PIECE_BYTES).bytes();
  }
}
