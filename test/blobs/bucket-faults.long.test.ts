import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./bucket-faults.test.ts");
