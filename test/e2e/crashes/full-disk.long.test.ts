import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./full-disk.test.ts");
