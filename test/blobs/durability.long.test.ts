import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./durability.test.ts");
