/**
 * A body's chunks, each given back to the system as soon as the next is asked for. Left to the garbage
 * collector, the chunks of a few large uploads pile up to twice the memory that all else needs. Whoever
 * reads them keeps a copy of what they need later, never a view.
 */
export async function* releasedChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    const { buffer } = chunk;
    // A view of something larger is somebody else's to release.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength) buffer.transfer(0);
  }
}
