import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./stop.test.ts");
