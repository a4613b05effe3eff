import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./given-up-works.test.ts");
