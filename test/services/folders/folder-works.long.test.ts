import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./folder-works.test.ts");
