import { WriteRefused } from "../domain/errors.ts";
import type { Log } from "./log.ts";

/** Work that repeats until it is stopped. */
export interface Repeating {
  /** Waits for the current turn; no other one starts. */
  stop(): Promise<void>;
}

/**
 * Runs `steps` in order, again and again, with a pause of `intervalMs` milliseconds before each turn. A step that
 * fails is logged; the next steps and turns still run.
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
        // A full or failed disk is logged elsewhere, not for each step.
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
