import { bePatient } from "../support/patience.ts";
import { beThorough } from "../support/thorough.ts";

bePatient();
beThorough();
await import("./dashboard-account.test.ts");
