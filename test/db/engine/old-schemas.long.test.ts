import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./old-schemas.test.ts");
