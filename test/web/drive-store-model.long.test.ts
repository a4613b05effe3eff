import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./drive-store-model.test.ts");
