import { constants, openSync, writeSync } from "node:fs";
import type { WriteText } from "./line-writer.ts";

/** How long to wait before a terminal that takes nothing is tried again, in milliseconds. */
const RETRY_MS = 20;

/**
 * Writes to the terminal behind a descriptor without ever waiting for it. The runtime's own writes wait
 * while a terminal is held with Ctrl-S, and the whole server with them.
 *
 * @returns null where the terminal cannot be opened a second time; Linux can
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

/** A description of its own, so that not to wait is set for us and not for everybody at this terminal. */
function openAgain(descriptor: number): number | null {
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // No such path on this system, or the terminal belongs to another user. The caller has another way.
    return null;
  }
}
