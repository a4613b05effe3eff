/**
 * A body's chunks. The memory of each is released when the next is requested: with the garbage collector alone, the
 * chunks of a few large uploads take twice the memory of everything else. So keep copies, never views.
 * If the reader stops early, the body is not cancelled, so that the rest of it can still be read.
 */
export async function* releasedChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  for await (const chunk of body.values({ preventCancel: true })) {
    yield chunk;
    releaseChunk(chunk);
  }
}

/** Releases a chunk's memory; it is empty afterwards. */
export function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  // Leaves a view of a larger buffer alone: it has another owner.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
