import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./hostile-input.test.ts");
