import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes [start, end) of an open file, read only as fast as the stream is read. Takes the file
 * over: it is closed at the end, on cancel and on error. A stream that is neither read to its end
 * nor cancelled keeps its file open.
 */
export function contentStream(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let position = start;
  let cancelled = false;

  async function readChunk(): Promise<Uint8Array> {
    // A fresh buffer for every chunk, because the consumer keeps it.
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    // To end quietly would give the reader a shorter content that looks whole.
    if (bytesRead === 0) throw new Error(`a blob ends at byte ${position}, before byte ${end}`);
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = position < end ? await readChunk() : null;
          if (cancelled) return;
          if (chunk !== null) controller.enqueue(chunk);
          if (position < end) return;
        } catch (error) {
          await file.close();
          throw error;
        }
        await file.close();
        if (!cancelled) controller.close();
      },
      async cancel() {
        cancelled = true;
        // Waits by itself for a read that is under way.
        await file.close();
      },
    },
    // Nothing is read ahead of the consumer.
    { highWaterMark: 0 },
  );
}
