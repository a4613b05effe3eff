import { setPriority } from "node:os";

/** How often time and memory are looked at, in milliseconds. */
const WATCH_MS = 20;
/** Lower than that of the server. */
const PRIORITY = 5;

/** What hostile input may take of a process that is there for it alone. */
export interface Bounds {
  readonly ms: number;
  /** Bytes. */
  readonly memory: number;
}

/**
 * The result of work on hostile input, or what it has too much of. The work goes on then: the caller is to end the
 * process, since nothing else ends what native code does in a thread.
 */
export async function withinBounds<T>(
  { ms, memory }: Bounds,
  work: Promise<T>,
): Promise<T | "time" | "memory"> {
  await giveWay();
  const { promise, resolve } = Promise.withResolvers<"time" | "memory">();
  const endsAt = performance.now() + ms;
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > memory) resolve("memory");
    else if (performance.now() > endsAt) resolve("time");
  }, WATCH_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearInterval(watch);
  }
}

/** Lets the server and others go first, and end last if the machine runs out of memory. */
async function giveWay(): Promise<void> {
  try {
    setPriority(PRIORITY);
    await Bun.write("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not Linux, or not allowed: the limits hold all the same.
  }
}
