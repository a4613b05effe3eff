import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./disk-errors.test.ts");
