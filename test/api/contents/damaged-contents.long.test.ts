import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./damaged-contents.test.ts");
