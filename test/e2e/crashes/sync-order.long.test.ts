import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./sync-order.test.ts");
