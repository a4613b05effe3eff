import type { Log } from "./log.ts";

/** Something that is done again and again until it is stopped. */
export interface Repeating {
  /** Lets a turn in progress end; no further one begins. */
  stop(): Promise<void>;
}

/** Runs `turn` every `intervalMs` milliseconds after its last end. A turn that fails is logged, and the next one comes. */
export function repeat(intervalMs: number, turn: () => Promise<void>, log: Log): Repeating {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const run = async () => {
    try {
      await turn();
    } catch (error) {
      log.error("background work failed", { error });
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
