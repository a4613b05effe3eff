import * as fc from "fast-check";
import { SEED } from "../support/server/seed.ts";

// The same races, far more often and with new orders each time unless there is a `SEED`.

fc.configureGlobal({ numRuns: 400, seed: SEED });
await import("./trees.test.ts");
await import("./drives.test.ts");
await import("./requests.test.ts");
await import("./edits.test.ts");
