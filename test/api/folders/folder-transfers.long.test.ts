import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./folder-transfers.test.ts");
