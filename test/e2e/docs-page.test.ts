import { expect, test } from "bun:test";
import { execute, openDocsPage, openOperation } from "../support/docs-page.ts";
import { bePatient } from "../support/patience.ts";

bePatient();

test("an operation is tried in the browser, with a key given to Authorize, and no other host is asked", async () => {
  await using docs = await openDocsPage();
  const { text: drives } = await execute(await openOperation(docs.page, "Drives-listDrives"));
  expect(drives).toContain('"slug": null');
  const { strangers, complaints } = docs;
  expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
});
