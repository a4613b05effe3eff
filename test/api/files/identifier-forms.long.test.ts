import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./identifier-forms.test.ts");
