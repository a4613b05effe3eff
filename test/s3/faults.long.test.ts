import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./faults.test.ts");
