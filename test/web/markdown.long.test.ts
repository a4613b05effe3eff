import { beThorough } from "../support/server/thorough.ts";

beThorough();
await import("./markdown.test.ts");
