import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./archive-slots.test.ts");
