import * as fc from "fast-check";
import { bePatient } from "../support/patience.ts";

// The same races, far more often and with new orders each time.

bePatient();
fc.configureGlobal({ numRuns: 1000 });
await import("./trees.test.ts");
await import("./drives.test.ts");
await import("./requests.test.ts");
