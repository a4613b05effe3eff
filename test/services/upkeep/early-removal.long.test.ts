import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./early-removal.test.ts");
