import * as fc from "fast-check";
import { bePatient } from "../support/patience.ts";

// All the rules again, tried far more often and with new values each time.

bePatient();
fc.configureGlobal({ numRuns: 2500 });
for (const file of new Bun.Glob("*.test.ts").scanSync(import.meta.dir)) {
  if (!file.endsWith(".long.test.ts")) await import(`./${file}`);
}
