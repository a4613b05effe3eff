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

/** What a promise rejects with; undefined if it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
