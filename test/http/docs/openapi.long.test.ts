import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./openapi.test.ts");
