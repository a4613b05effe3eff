import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./snapshot-contents.test.ts");
