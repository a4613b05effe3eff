import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./mixed-kill.test.ts");
