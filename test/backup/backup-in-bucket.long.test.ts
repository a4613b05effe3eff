import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./backup-in-bucket.test.ts");
