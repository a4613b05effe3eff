import * as fc from "fast-check";
import { SEED } from "../support/server/seed.ts";

// All the rules again, tried far more often and with new values each time unless there is a `SEED`.

fc.configureGlobal({ numRuns: 1000, seed: SEED });
for (const file of new Bun.Glob("*.test.ts").scanSync(import.meta.dir)) {
  if (!file.endsWith(".long.test.ts")) await import(`./${file}`);
}
