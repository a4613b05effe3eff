import { expect, test } from "bun:test";
import { bodyOf, execute, filledIn, openDocsPage, openOperation } from "../../support/browser/docs-page.ts";

test("an operation is tried in the browser, with a key given to Authorize, and no other host is asked", async () => {
  await using docs = await openDocsPage();
  const list = await openOperation(docs.page, "Drives-listDrives");
  // What the description refers to is put in its place.
  const refusal = list.locator('.responses-table tr[data-code="429"] .response-col_description');
  expect(await refusal.innerText()).toContain("RATE_LIMITED");
  const { text: drives } = await execute(list);
  expect(drives).toContain('"slug": null');
  const { strangers, complaints } = docs;
  expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
});

test("descriptions are formatted, and what an operation answers comes part by part", async () => {
  await using docs = await openDocsPage();
  const { page, complaints } = docs;
  const overview = page.locator(".info .renderedMarkdown");
  await overview.locator("p > strong", { hasText: "Where to begin." }).waitFor();
  await overview.locator("p > code", { hasText: "/skill.md" }).waitFor();
  expect(await overview.innerText()).not.toMatch(/`|\*\*/);
  await page.evaluate(`{
    window.together = [];
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.nodeType === 1);
      const rows = added.flatMap((node) => [node, ...node.querySelectorAll("tr.response")]);
      window.together.push(rows.filter((node) => node.matches("tr.response")).length);
    }).observe(document.body, { childList: true, subtree: true });
  }`);
  const upload = await openOperation(page, "Files-uploadFile");
  await upload.locator(".responses-table tr.response").nth(8).waitFor();
  expect(await page.evaluate<number>("Math.max(...window.together)")).toBe(1);
  expect(complaints).toEqual([]);
});

test("what is filled in can be executed as it is, but for the ids: an upload, a form, a change", async () => {
  await using docs = await openDocsPage();
  const { page, drive } = docs;
  const upload = await openOperation(page, "Files-uploadFile");
  const example: { drive_id: string; filename: string; content: string } = JSON.parse(
    await bodyOf(upload).inputValue(),
  );
  expect(example).toEqual({
    drive_id: expect.any(String),
    filename: "hello.txt",
    content: "SGVsbG8gV29ybGQh",
  });
  await bodyOf(upload).fill(JSON.stringify({ ...example, drive_id: drive }));
  const uploaded = await execute(upload);
  expect(uploaded).toEqual({ status: "201", text: expect.stringContaining('"path": "hello.txt"') });
  const file: { id: string } = JSON.parse(uploaded.text);

  await upload.locator("select.content-type").first().selectOption("multipart/form-data");
  await upload.locator("[data-property-name=file] input").setInputFiles({
    name: "plan.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("A plan."),
  });
  expect(await filledIn(upload, "data-property-name")).toEqual([
    ["drive_id", example.drive_id],
    ["file", expect.stringMatching(/plan\.md$/)],
  ]);
  await upload.locator("[data-property-name=drive_id] input").fill(drive);
  await upload.locator(".live-responses-table").waitFor();
  await upload.locator(".btn-clear").click();
  expect(await execute(upload)).toEqual({
    status: "201",
    text: expect.stringMatching(
      /"path": "plan\.md"[^]*"tags": \[\],\s*"metadata": \{\},\s*"expires_at": null/,
    ),
  });

  const update = await openOperation(page, "Files-updateFile");
  expect(JSON.parse(await bodyOf(update).inputValue())).toEqual({ tags: ["greeting"] });
  await update.locator("tr[data-param-name=id] input").fill(file.id);
  const updated = await execute(update);
  expect(updated.status).toBe("200");
  expect(JSON.parse(updated.text)).toMatchObject({
    filename: "hello.txt",
    tags: ["greeting"],
    expires_at: null,
  });

  const parameters = [
    ["Files-downloadArchive", []],
    ["Search-searchFiles", ["page=1", "limit=50"]],
    ["Files-listFiles", ["sort=path", "page=1", "limit=50"]],
  ] as const;
  for (const [name, defaults] of parameters) {
    const filled = await filledIn(await openOperation(page, name), "data-param-name");
    expect([name, filled.map((each) => each.join("="))]).toEqual([name, [...defaults]]);
  }
});
