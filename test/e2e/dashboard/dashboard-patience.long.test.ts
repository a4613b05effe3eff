import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./dashboard-patience.test.ts");
