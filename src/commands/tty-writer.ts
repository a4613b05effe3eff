import { constants, openSync, writeSync } from "node:fs";
import type { WriteText } from "./line-writer.ts";

/** How long to wait before writing again to a terminal that accepts nothing, in milliseconds. */
const RETRY_MS = 20;

/**
 * Writes to the terminal behind a descriptor without blocking. The runtime's own writes block while a terminal is
 * paused with Ctrl-S, and so does the whole server.
 *
 * @returns null if the terminal cannot be opened a second time; on Linux it can
 */
export function ttyWriter(descriptor: number): WriteText | null {
  const tty = openAgain(descriptor);
  if (tty === null) return null;
  return (text, done) => {
    const bytes = Buffer.from(text);
    let at = 0;
    const proceed = (): void => {
      try {
        while (at < bytes.length) at += writeSync(tty, bytes, at);
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        if ("code" in failure && failure.code === "EAGAIN") setTimeout(proceed, RETRY_MS);
        else done(failure);
        return;
      }
      done();
    };
    proceed();
  };
}

/** Opens the terminal again: O_NONBLOCK on the shared descriptor would affect every process at this terminal. */
function openAgain(descriptor: number): number | null {
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Not Linux, or the terminal belongs to another user.
    return null;
  }
}
