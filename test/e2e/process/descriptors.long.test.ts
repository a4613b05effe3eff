import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./descriptors.test.ts");
