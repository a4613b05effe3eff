import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./zip.test.ts");
