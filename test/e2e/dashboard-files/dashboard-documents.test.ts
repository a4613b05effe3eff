import { expect, test } from "bun:test";
import { newWindow } from "../../support/browser/browser.ts";
import { openPreviews } from "../../support/browser/preview.ts";
import { PNG } from "../../support/samples/samples.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

const { dashboard, page, strangers, store, show, preview, shown, view } = await openPreviews();
const { owner } = dashboard;

/** Whether the picture with this name has come, and is one pixel wide. */
const isDot = (name: string) =>
  page.evaluate<boolean>(`document.querySelector('.preview img[alt="${name}"]')?.naturalWidth === 1`);

test("Markdown is a document, and its source is at hand", async () => {
  await show(
    "read.md",
    "# Title\n\n- [x] **done**\n- a [link](https://example.org/)\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n> ```py\n> x = 42\n> ```\n",
  );
  await preview().getByRole("heading", { name: "Title" }).waitFor();
  expect(await preview().getByRole("checkbox", { name: "Done" }).isChecked()).toBe(true);
  const link = preview().getByRole("link", { name: "link" });
  expect(await link.getAttribute("rel")).toContain("noopener");
  expect(await preview().getByRole("cell").allTextContents()).toEqual(["1", "2"]);
  await preview().locator("pre .code-number", { hasText: "42" }).waitFor();
  await view("Source");
  await preview().locator(".code-heading", { hasText: "# Title" }).waitFor();
});

test("JSON is a tree that is folded by keyboard, and its source is as it was", async () => {
  const source = '{"id":12345678901234567890,"a":[1,{}],"s":"{,}"}';
  await show("data.json", source);
  const row = (name: string) => preview().getByRole("treeitem", { name, exact: true });
  await row('"id": 12345678901234567890').waitFor();
  await preview().getByRole("treeitem", { name: "{…} 3 members" }).press("End");
  expect(await page.locator(":focus").textContent()).toBe('"s": "{,}"');
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  expect(await page.locator(":focus").textContent()).toBe('"a": […] 2 items');
  await page.keyboard.press("ArrowLeft");
  await row("1: {}").waitFor({ state: "detached" });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await page.locator(":focus").textContent()).toBe("0: 1");
  await preview().getByRole("treeitem", { name: '"a":' }).click();
  await row("1: {}").waitFor({ state: "detached" });
  await view("Source");
  expect(await preview().locator(".preview-text").textContent()).toBe(source);
  await show("broken.json", "{nope");
  await shown("This is not valid JSON");
  await shown("{nope");
});

longTest("of long JSON more is shown when it is asked for", async () => {
  await show("long.json", JSON.stringify(Array.from({ length: 1500 }, (_, at) => ({ at }))));
  const more = preview().getByRole("treeitem", { name: /^Show more/ });
  expect(await more.textContent()).toBe("Show more (1,400 left)");
  await more.press("Enter");
  await preview().getByRole("treeitem", { name: "Show more (400 left)" }).waitFor();
  // The first of what was asked for.
  expect(await page.locator(":focus").textContent()).toBe("100: {…} 1 member");
});

longTest("JSON lines are a table, and a notebook is a document", async () => {
  await show("log.jsonl", '{"at":"10:00","level":"info"}\n{"at":"10:01","error":{"code":7}}\n');
  await preview().getByRole("cell", { name: "10:01" }).waitFor();
  expect(await preview().getByRole("columnheader").allTextContents()).toEqual(["at", "level", "error"]);
  expect(await preview().locator("tbody td").allTextContents()).toEqual(
    [
      ["10:00", "info", ""],
      ["10:01", "", '{"code":7}'],
    ].flat(),
  );
  // Characters that are written as their numbers are shown as others are.
  await show("marks.jsonl", `{"a":"e${"\\u0301".repeat(40)}"}`);
  await shown("⟨10 more marks⟩");
  await show("mixed.jsonl", '{"a":1}\nnope\n');
  await shown("This is not JSON on every line");
  const outputs = [
    {
      output_type: "display_data",
      data: { "image/png": Buffer.from(PNG).toString("base64"), "text/plain": "dot" },
    },
    { output_type: "execute_result", data: { "text/html": "<b>bold</b>", "text/plain": "plain" } },
  ];
  const cells = [
    { cell_type: "markdown", source: ["# Findings"] },
    { cell_type: "code", source: "x = 42", outputs },
  ];
  await show("book.ipynb", JSON.stringify({ cells }));
  await preview().getByRole("heading", { name: "Findings" }).waitFor();
  await preview().locator("pre .code-number", { hasText: "42" }).waitFor();
  await eventually(() => isDot("dot"));
  await shown("plain");
  await shown("This output also has HTML");
  await show("none.ipynb", '{"a":1}');
  await shown("This is not a notebook");
});

test("CSV is a table of its first 1,000 rows", async () => {
  const rows = Array.from({ length: 1200 }, (_, at) => `${at},"a ""quoted"", cell\nof two lines"`);
  await show("table.csv", `n,text\n${rows.join("\n")}`);
  await shown("Showing the first 1,000 rows.");
  expect(await preview().getByRole("columnheader").allTextContents()).toEqual(["n", "text"]);
  expect(await preview().getByRole("row").count()).toBe(1001);
  await preview().getByRole("cell", { name: 'a "quoted", cell of two lines' }).first().waitFor();
});

test("Markdown shows the pictures of its drive, and leads to other files and headings", async () => {
  await store("docs/img/dot one.png", Uint8Array.from(PNG));
  await store("docs/img/lie.png", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
  await store("docs/more/b.md", `# B\n\n${"Words.\n\n".repeat(100)}## Far _down_\n\n[Back](../a.md)\n`);
  await show(
    "docs/a.md",
    "![the dot](img/dot%20one.png) ![no dot](img/none.png) ![a lie](img/lie.png) ![far](//canary.invalid/a.png)\n\n" +
      "[to b](more/b.md#Far-down), [to a folder](more/), [out](../../a.md), [on](#notes)\n\n" +
      `${"Words.\n\n".repeat(100)}# Notes\n\nSaid[^1].\n\n[^1]: Who said so.\n`,
  );
  await eventually(() => isDot("the dot"));
  // A picture that cannot be shown is its words, once the browser has seen that it cannot.
  await shown("no dot");
  await shown("a lie");
  expect(await preview().locator("img").count()).toBe(1);
  expect(await preview().getByRole("link", { name: "out" }).count()).toBe(0);
  // A place in the document: the address says it, and the keyboard goes on from there.
  await preview().getByRole("link", { name: "on", exact: true }).click();
  await page.locator("h3:focus", { hasText: "Notes" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#notes");
  await page.keyboard.press("Tab");
  await page.locator(":focus", { hasText: "1" }).press("Enter");
  await page.locator("li:focus", { hasText: "Who said so." }).waitFor();
  await preview().getByRole("link", { name: "Back to the text" }).click();
  await page.locator("sup > a:focus").waitFor();
  // Another file, at its heading.
  await preview().getByRole("link", { name: "to b" }).click();
  await page.getByRole("dialog", { name: "b.md" }).waitFor();
  await page.locator("h4:focus", { hasText: "Far down" }).waitFor();
  expect(await preview().getByRole("heading", { name: "B", exact: true }).isVisible()).toBe(true);
  await preview().getByRole("link", { name: "Back" }).click();
  await page.getByRole("dialog", { name: "a.md" }).waitFor();
  await page.goBack();
  await page.locator("h4:focus", { hasText: "Far down" }).waitFor();
  await preview().getByRole("link", { name: "Back" }).click();
  await preview().getByRole("link", { name: "to a folder" }).click();
  await preview().waitFor({ state: "detached" });
  await page.getByRole("link", { name: "b.md" }).waitFor();
  expect(strangers).toEqual([]);
});

/** The token of a link that shows a file or a folder. */
async function linkTo(path: string): Promise<string> {
  return (await owner.client.post<{ token: string }>("/v0/links", { drive_id: owner.drive, path })).token;
}

test("a shared folder does the same, and never leads out of it", async () => {
  await store("shared/dot.png", Uint8Array.from(PNG));
  await store("secret.png", Uint8Array.from(PNG));
  await store(
    "shared/in/a.md",
    "![the dot](../dot.png) ![a secret](../../secret.png) [to b](../b.md) [to c](c.md)",
  );
  await store("shared/b.md", "# B");
  const context = await newWindow(dashboard.browser, { baseURL: dashboard.server.url });
  const other = await context.newPage();
  await other.goto(`/s/${await linkTo("shared/")}?path=in%2Fa.md`);
  await eventually(() =>
    other.evaluate<boolean>(`document.querySelector("img[alt='the dot']")?.naturalWidth === 1`),
  );
  await other.locator("dialog").getByText("a secret").waitFor();
  expect(await other.locator("dialog img").count()).toBe(1);
  await other.getByRole("link", { name: "to b" }).click();
  await other.getByRole("heading", { name: "B", exact: true }).waitFor();
  // A link to one file has no others.
  await other.goto(`/s/${await linkTo("shared/in/a.md")}`);
  await other.getByText("a secret").waitFor();
  expect(await other.locator("article").locator("img, a").count()).toBe(0);
  await context.close();
});
