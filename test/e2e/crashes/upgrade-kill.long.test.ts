import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./upgrade-kill.test.ts");
