import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./long-edits.test.ts");
