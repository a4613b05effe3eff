/** Calls `done` once the system has accepted or refused all of it, at once if that is known at once. */
type WriteAny = (data: string | Uint8Array, done: (error?: Error | null) => void) => void;

/**
 * Writes to a file, a pipe or a socket without blocking, through the runtime's sink that is below `process.stdout`:
 * Node's streams above it take milliseconds of a start.
 */
export function sinkWriter(descriptor: number): WriteAny {
  const sink = Bun.file(descriptor).writer();
  return (data, done) => {
    try {
      const written = sink.write(data);
      // If the flush throws, its error is told, and nobody waits for this.
      if (typeof written !== "number") written.catch(() => {});
      // None if the system has taken all of it.
      const waiting = [written, sink.flush()].filter((result) => typeof result !== "number");
      if (waiting.length === 0) done();
      else Promise.all(waiting).then(() => done(), done);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}
