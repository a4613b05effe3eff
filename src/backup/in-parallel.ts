/** Runs `work` for each item, for up to `limit` items at once. Rejects with the first error, once nothing runs. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const errors: unknown[] = [];
  for await (const item of items) {
    const run = work(item)
      .catch((error: unknown) => errors.push(error))
      .finally(() => running.delete(run));
    running.add(run);
    if (running.size >= limit) await Promise.race(running);
    if (errors.length > 0) break;
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}
