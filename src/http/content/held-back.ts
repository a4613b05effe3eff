/** How many bytes are read at once. */
const PIECE_BYTES = 256 * 1024;
/** How many bytes at the end are held back, at most. */
const LAST_BYTES = 64 * 1024;

/**
 * The bytes of a blob, whose end is sent only after `release`. Throws what that rejects with, and where the content
 * has become shorter.
 */
export async function* heldBack(content: Blob, release: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const last = Math.max(0, content.size - LAST_BYTES);
  for (let at = 0; at < last; at += PIECE_BYTES) yield read(content, at, Math.min(at + PIECE_BYTES, last));
  // What is read before is in memory: it cannot change any more.
  const end = await read(content, last, content.size);
  await release();
  yield end;
}

async function read(content: Blob, start: number, end: number): Promise<Uint8Array> {
  const piece = await content.slice(start, end).bytes();
  if (piece.length !== end - start) throw new Error("the content has become shorter while it was sent");
  return piece;
}
