import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./passed-socket.test.ts");
