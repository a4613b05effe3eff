/** Runs `work` for each item, for `atOnce` of them at once. Rejects with the first error, once nothing runs. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const errors: unknown[] = [];
  try {
    for await (const item of items) {
      const run = work(item)
        .catch((error: unknown) => errors.push(error))
        .finally(() => running.delete(run));
      running.add(run);
      if (running.size >= atOnce) await Promise.race(running);
      if (errors.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
}
