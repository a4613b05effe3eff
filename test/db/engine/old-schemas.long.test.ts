import { bePatient } from "../../support/server/patience.ts";
import { beThorough } from "../../support/server/thorough.ts";

bePatient();
beThorough();
await import("./old-schemas.test.ts");
