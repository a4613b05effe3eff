import { WriteRefused } from "../domain/errors.ts";
import type { Log } from "./log.ts";

/**
 * Runs `steps` in order, again and again, with a pause of `intervalMs` milliseconds before each turn. A step that
 * fails is logged; the next steps and turns still run.
 *
 * @param firstMs the pause before the first turn, in milliseconds
 * @returns stops it: waits for the current turn, and no other one starts
 */
export function repeat(
  intervalMs: number,
  steps: readonly (() => Promise<unknown>)[],
  log: Log,
  firstMs = intervalMs,
): () => Promise<void> {
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
    if (!stopped) schedule(intervalMs);
  };
  const schedule = (pauseMs: number) => {
    timer = setTimeout(() => {
      running = run();
    }, pauseMs);
  };
  schedule(firstMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
