import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { complaintsOf, lead, mischiefIn, newWindow } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { pdf, pdfLines, pdfOf } from "../../support/samples/documents.ts";
import { isFound, putFile } from "../../support/server/drives.ts";
import { eventually } from "../../support/server/scenario.ts";
import { isThorough, longTest, someOf } from "../../support/server/thorough.ts";

const dashboard = await openDashboard();
const { owner, server } = dashboard;
const page = await dashboard.context.newPage();

/** Notes each dialog that a script opens or request to anybody else, and errors of a page. */
const watch = (watched: Page) => [mischiefIn(watched, server.url), complaintsOf(watched)];
const faults = watch(page);
await page.goto(`/drives/${owner.drive}/`);

/** Stores a PDF and opens its preview. */
async function show(content: Uint8Array<ArrayBuffer>): Promise<void> {
  const path = `${crypto.randomUUID()}.pdf`;
  await lead(page, `/drives/${owner.drive}/?file=${await putFile(owner, owner.drive, path, content)}`);
  // Until the answer comes, the file before is still shown.
  await preview().getByRole("heading", { name: path }).waitFor();
}

const preview = () => page.locator("dialog.preview");
const drawn = (number: number) =>
  preview()
    .locator(".pdf-page")
    .nth(number - 1)
    .locator("canvas")
    .waitFor();

const CATALOG = "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj";
const FONT = "3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj";

/** A document of one page: its objects 1 to 3 and 5 stand. */
function onePage(
  attributes: string,
  content = pdfLines("Words"),
  catalog = CATALOG,
): Uint8Array<ArrayBuffer> {
  return pdfOf([
    catalog,
    "2 0 obj <</Type/Pages/Kids[4 0 R]/Count 1>> endobj",
    FONT,
    `4 0 obj <</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>/XObject<</X 9 0 R>>>>/Contents 5 0 R${attributes}>> endobj`,
    stream(5, "", content),
    // What draws the next ten times, which does the same.
    ...Array.from({ length: 12 }, (_, level) =>
      stream(
        9 + level,
        `/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X ${10 + level} 0 R>>>>`,
        "q 1 0 0 1 0 0 cm /X Do Q ".repeat(10),
      ),
    ),
    stream(21, "/Type/XObject/Subtype/Form/BBox[0 0 600 800]", "0 0 5 5 re f"),
  ]);
}

function stream(number: number, attributes: string, content: string): string {
  return `${number} 0 obj <</Length ${content.length}${attributes}>> stream\n${content}\nendstream endobj`;
}

const BOX = "/MediaBox[0 0 600 800]";
const link = (bottom: number, action: string) =>
  `<</Type/Annot/Subtype/Link/Rect[50 ${bottom} 250 ${bottom + 20}]/A<<${action}>>>>`;
const uri = (bottom: number, address: string) => link(bottom, `/S/URI/URI(${address})`);
const EVIL = onePage(
  `${BOX}/Annots[${[
    uri(690, "https://evil.example/sign-in?x=1"),
    uri(660, "mailto:someone@evil.example"),
    uri(630, "javascript:alert\\(1\\)"),
    uri(600, "data:text/html,x"),
    uri(570, "file:///etc/passwd"),
    link(540, "/S/Launch/F(calc.exe)"),
    link(510, "/S/GoToR/F(other.pdf)/D[0/Fit]"),
    link(480, "/S/JavaScript/JS(app.alert\\(2\\))"),
  ].join("")}]/AA<</O<</S/JavaScript/JS(app.alert\\(3\\))>>>>`,
  pdfLines("Sign in at https://bank.example"),
  "1 0 obj <</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\('hi'\\); app.response\\('Your session has ended. Password:'\\))>>>> endobj",
);

describe("a PDF with scripts and links", () => {
  test("is drawn, asks nothing, and its words can be selected", async () => {
    await show(EVIL);
    await drawn(1);
    await preview().getByText("Sign in at https://bank.example").waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    const dark = await page.evaluate<number>(`{
      const [canvas] = document.querySelectorAll(".pdf-page canvas");
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      data.filter((value, at) => at % 4 === 0 && value < 100).length;
    }`);
    expect(dark).toBeGreaterThan(100);
    expect(faults).toEqual([[], []]);
  });

  test("leads nowhere without a question that names where, and then beside", async () => {
    await show(EVIL);
    await drawn(1);
    const links = preview().locator(".pdf-link");
    expect(await links.evaluateAll((found) => found.map((each) => each.getAttribute("aria-label")))).toEqual([
      "Link to https://evil.example/sign-in?x=1",
      "Link to mailto:someone@evil.example",
    ]);
    const address = page.url();
    await links.first().click();
    const question = page.getByRole("dialog", { name: "Leave for another site?" });
    await question.getByText("evil.example", { exact: true }).waitFor();
    await question.getByText("https://evil.example/sign-in?x=1", { exact: true }).waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await preview().waitFor();
    await links.first().click();
    await page
      .context()
      .route("https://evil.example/**", (route) =>
        route.fulfill({ contentType: "text/html", body: "<p>elsewhere" }),
      );
    const [beside] = await Promise.all([
      page.context().waitForEvent("page"),
      question.getByRole("link", { name: "Open in a new tab" }).click(),
    ]);
    await beside.getByText("elsewhere").waitFor();
    expect(await beside.evaluate("[opener, document.referrer]")).toEqual([null, ""]);
    await beside.close();
    await question.waitFor({ state: "detached" });
    expect([page.url(), faults]).toEqual([address, [[], []]]);
  });

  longTest("is shown on the page of a link in the same way", async () => {
    await putFile(owner, owner.drive, "shared.pdf", EVIL);
    const body = { drive_id: owner.drive, path: "shared.pdf" };
    const { token } = await owner.client.post<{ token: string }>("/v0/links", body);
    const context = await newWindow(dashboard.browser, { baseURL: server.url });
    const shared = await context.newPage();
    const noted = watch(shared);
    await shared.goto(`/s/${token}`);
    await shared.locator(".pdf-link").first().click();
    await shared.getByText("https://evil.example/sign-in?x=1", { exact: true }).waitFor();
    expect([new URL(shared.url()).pathname, noted]).toEqual([`/s/${token}`, [[], []]]);
    await context.close();
  });
});

test("tiles and a search show the first pages, and the sign of what cannot be drawn or is too slow", async () => {
  const { client } = owner;
  const { id: drive } = await client.makeDrive("Tiles");
  await putFile(
    owner,
    drive,
    "damaged.pdf",
    new Uint8Array(Buffer.from("%PDF-1.7 <script>alert(1)</script>")),
  );
  if (isThorough()) await putFile(owner, drive, "slow.pdf", onePage(BOX, "/X Do"));
  const quarterly = await putFile(owner, drive, "quarterly.pdf", EVIL);
  await lead(page, `/drives/${drive}/`);
  const sign = (name: string) => page.getByRole("row", { name }).locator(".cell-sign");
  // In the list there is no room for a page.
  await sign("quarterly.pdf").locator(".kind-pdf").waitFor();
  await page.getByRole("button", { name: "Grid" }).click();
  await sign("quarterly.pdf").locator("img").waitFor();
  await eventually(async () => (await widthOf(sign("quarterly.pdf").locator("img"))) === 384);
  for (const name of isThorough() ? ["damaged.pdf", "slow.pdf"] : ["damaged.pdf"]) {
    expect([name, await sign(name).locator(".kind-pdf").count()]).toEqual([name, 1]);
  }
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  // What was drawn is kept: the content is not asked for again.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.getByRole("button", { name: "List" }).click();
  await sign("quarterly.pdf").locator(".kind-pdf").waitFor();
  await page.getByRole("button", { name: "Grid" }).click();
  await sign("quarterly.pdf").locator("img").waitFor();
  expect([asked.filter((path) => path.includes(`${quarterly}/download`)), faults]).toEqual([[], [[], []]]);
  await page.getByRole("button", { name: "List" }).click();
  await isFound(owner, "quarterly", 1);
  await lead(page, "/search?q=quarterly");
  await page.locator(".result img").waitFor();
});

function widthOf(image: Locator): Promise<number> {
  return image.evaluate((each) => ("naturalWidth" in each ? Number(each.naturalWidth) : 0));
}

describe("a PDF made to harm whoever shows it", () => {
  if (isThorough()) {
    test("a page that takes too long is given up, and the next is drawn", async () => {
      await show(
        pdfOf([
          CATALOG,
          "2 0 obj <</Type/Pages/Kids[4 0 R 6 0 R]/Count 2>> endobj",
          ...Buffer.from(onePage(BOX, "/X Do")).toString("latin1").split("\n").slice(3, -2),
          `6 0 obj <</Type/Page/Parent 2 0 R${BOX}/Resources<</Font<</F 3 0 R>>>>/Contents 7 0 R>> endobj`,
          stream(7, "", pdfLines("The second")),
        ]),
      );
      await preview().getByText("Page 1 is damaged, or too complex to be shown here.").waitFor();
      await preview().locator(".pdf-page").nth(1).scrollIntoViewIfNeeded();
      await drawn(2);
      await preview().getByText("The second").waitFor();
    });
  }

  const pages = isThorough() ? 100_000 : 1000;
  test(`of ${pages} pages as many are laid out as one looks through`, async () => {
    const numbers = Array.from({ length: pages }, (_, at) => 10 + at);
    await show(
      pdfOf([
        CATALOG,
        `2 0 obj <</Type/Pages/Kids[${numbers.map((number) => `${number} 0 R`).join(" ")}]/Count ${pages}>> endobj`,
        ...numbers.map((number) => `${number} 0 obj <</Type/Page/Parent 2 0 R${BOX}>> endobj`),
      ]),
    );
    await drawn(1);
    expect(await preview().locator(".pdf-page").count()).toBe(200);
    expect(await preview().locator("canvas").count()).toBeLessThan(5);
    await preview().getByRole("button", { name: "Show more" }).click();
    await preview().locator(".pdf-page").nth(399).waitFor();
  });

  const harmful: readonly (readonly [what: string, content: Uint8Array<ArrayBuffer>, shows: string])[] = [
    ["boxes as wide as there are numbers", onePage("/MediaBox[0 0 2000000000 1900000000]"), "canvas"],
    ["a box as long as there are numbers", onePage("/MediaBox[0 0 1 2000000000]"), "text=Page 1 is damaged"],
    ["no box", onePage("/MediaBox[0 0 0 0]"), "canvas"],
    ["a table of objects that is wrong", broken(), "canvas"],
    ["no pages", pdfOf([CATALOG, "2 0 obj <</Type/Pages/Kids[]/Count 0>> endobj"]), "text=Not a valid PDF."],
    ["nothing of a PDF", new Uint8Array(Buffer.from("<script>alert(1)</script>")), "text=Not a valid PDF."],
  ];
  test.each(someOf(harmful, 3))("%s", async (_, content, shows) => {
    await show(content);
    await preview().locator(shows).first().waitFor();
    expect(faults).toEqual([[], []]);
  });
});

function broken(): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(pdf([pdfLines("Words")])).toString("latin1");
  return new Uint8Array(
    Buffer.from(text.replace("trailer", "xref\n0 9\n0000000999 00000 n\ntrailer"), "latin1"),
  );
}
