import { rm } from "node:fs/promises";
import type { Scale } from "./growth.ts";
import type { Panel } from "./plot.ts";
import { measureRequests, REQUESTS } from "./requests.ts";
import { newStore } from "./store.ts";
import { removeFolders, runCommands, WORK } from "./work.ts";

/** Measures a drive of each of these sizes. */
export async function measureDrives(scale: Scale, sizes: readonly number[]): Promise<readonly Panel[]> {
  for (const size of sizes) {
    scale.say(`a drive of ${size.toLocaleString("en-US")} files`);
    const dataDir = scale.newPath();
    const store = await newStore(dataDir, size);
    await measureRequests(scale, store);
    await runCommands(scale, store);
    await removeFolders(scale, store);
    await rm(dataDir, { recursive: true });
  }
  return [...REQUESTS, ...WORK];
}
