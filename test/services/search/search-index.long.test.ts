import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./search-index.test.ts");
