import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./search.test.ts");
