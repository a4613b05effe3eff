import { expect } from "bun:test";

/** A body in chunks of `size` bytes. `cancelled` returns whether its reader cancelled it. */
export function bodyOf(
  bytes: Uint8Array,
  size: number,
): { body: ReadableStream<Uint8Array>; cancelled: () => boolean } {
  let at = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, cancelled: () => cancelled };
}

/** Reads an upload that comes in pieces of `size` bytes. A body that is refused must be let go of. */
export async function readUpload<Upload extends { fields: unknown; contentKey: string | null }>(
  bytes: Uint8Array,
  size: number,
  reader: (body: ReadableStream<Uint8Array>, write: (piece: Uint8Array) => Promise<void>) => Promise<Upload>,
) {
  const pieces: Uint8Array[] = [];
  const { body, cancelled } = bodyOf(bytes, size);
  try {
    const upload = await reader(body, async (piece) => void pieces.push(Uint8Array.from(piece)));
    return { ...upload, content: Buffer.concat(pieces), error: undefined, cancelled: cancelled() };
  } catch (error) {
    expect(body.locked).toBeFalse();
    return { fields: undefined, contentKey: null, content: Buffer.alloc(0), error, cancelled: cancelled() };
  }
}
