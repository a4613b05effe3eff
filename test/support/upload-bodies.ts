/** A body in chunks of `size` bytes; `cancelled` tells whether its reader gave it up. */
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

/** What a promise is rejected with; undefined when it is kept. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
