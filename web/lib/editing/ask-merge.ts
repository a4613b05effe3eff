import { MERGE_WORKER, startWorker } from "../browser/own-worker.ts";
import { type Part, type Sides, wholeMerge } from "./merge.ts";

/** In ms. Ordinary texts take less than 100. */
const MOST_TIME = 3000;

/** Merges two texts in a worker. What takes too long there is taken as a whole: theirs, or both as one collision. */
export function askMerge(sides: Sides): Promise<readonly Part[]> {
  return new Promise((resolve) => {
    const worker = startWorker(MERGE_WORKER);
    const end = (parts: readonly Part[] | null) => {
      clearTimeout(timer);
      worker.terminate();
      resolve(parts ?? wholeMerge(sides));
    };
    const timer = setTimeout(end, MOST_TIME, null);
    worker.addEventListener("message", ({ data }: MessageEvent<readonly Part[] | null>) => end(data));
    worker.addEventListener("error", () => end(null));
    worker.postMessage(sides, []);
  });
}
