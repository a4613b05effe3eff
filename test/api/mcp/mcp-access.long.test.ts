import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./mcp-access.test.ts");
