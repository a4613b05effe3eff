import { beThorough } from "../support/server/thorough.ts";

// What every store must do: its races, far more often.

beThorough();
await import("./blob-store.test.ts");
await import("./disks.test.ts");
await import("./bucket.test.ts");
