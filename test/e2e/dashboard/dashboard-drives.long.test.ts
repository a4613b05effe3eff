import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./dashboard-drives.test.ts");
