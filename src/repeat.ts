import { WriteRefused } from "./domain/errors.ts";
import type { Log } from "./log.ts";

/** Something that is done again and again until it is stopped. */
export interface Repeating {
  /** Lets a turn in progress end; no further one begins. */
  stop(): Promise<void>;
}

/**
 * Runs `steps`, one after the other, every `intervalMs` milliseconds after their last end. A step that
 * fails is logged and keeps neither the others nor the next turn from coming.
 */
export function repeat(intervalMs: number, steps: readonly (() => Promise<unknown>)[], log: Log): Repeating {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const run = async () => {
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        // The state of the server's disk is logged by itself, not with each thing that it stops.
        if (!(error instanceof WriteRefused)) log.error("background work failed", { error });
      }
    }
    if (!stopped) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => {
      running = run();
    }, intervalMs);
  };
  schedule();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
