import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./batches.test.ts");
