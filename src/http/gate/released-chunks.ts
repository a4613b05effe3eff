/**
 * A body's chunks, each given back to the system as soon as the next is asked for. Left to the garbage
 * collector, the chunks of a few large uploads pile up to twice the memory that all else needs. Whoever
 * reads them keeps a copy of what they need later, never a view.
 * When they stop early the body is not cancelled, so that what is left of it can still be read.
 */
export async function* releasedChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body.values({ preventCancel: true })) {
    yield chunk;
    releaseChunk(chunk);
  }
}

/** Gives a chunk's memory back to the system; it is empty afterwards. */
export function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  // A view of something larger is somebody else's to release.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
