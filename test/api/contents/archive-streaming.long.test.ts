import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./archive-streaming.test.ts");
