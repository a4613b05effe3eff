import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./extract.test.ts");
