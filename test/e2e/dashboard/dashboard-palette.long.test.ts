import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./dashboard-palette.test.ts");
