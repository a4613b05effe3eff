import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./backup.test.ts");
