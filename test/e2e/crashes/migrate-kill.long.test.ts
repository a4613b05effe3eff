import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./migrate-kill.test.ts");
