import { askWorker, MERGE_WORKER } from "../browser/own-worker.ts";
import { type Part, type Sides, wholeMerge } from "./merge.ts";

/** Merges two texts in a worker. What takes too long there is taken as a whole: theirs, or both as one collision. */
export async function askMerge(sides: Sides): Promise<readonly Part[]> {
  const [parts = null] = await askWorker<readonly Part[] | null>(MERGE_WORKER, sides, { expected: 1 });
  return parts ?? wholeMerge(sides);
}
