import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./other-port.test.ts");
