import { join } from "node:path";
import type { Page } from "playwright-core";

/** The minified source: a page takes longer to parse the other one than to run it. */
const SOURCE = Bun.file(join(import.meta.dir, "../../../node_modules/axe-core/axe.min.js"));
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules about colours: only these depend on the theme. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** The accessibility problems of the current page, by WCAG 2.2 AA; empty if there are none. */
export function accessibilityProblems(page: Page): Promise<string[]> {
  return problems(page, RULES);
}

/** Only the problems with colours: enough for the second theme of a page that was checked in one. */
export function colorProblems(page: Page): Promise<string[]> {
  return problems(page, COLOR_RULES);
}

async function problems(page: Page, rules: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger: the page's Content-Security-Policy does not apply to it.
  if (!(await page.evaluate<boolean>("'axe' in window"))) {
    await page.evaluate(`{ ${await SOURCE.text()} }`);
  }
  const options = { runOnly: rules, resultTypes: ["violations"] };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`);
}

/** The same in the light and the dark theme. Leaves the page in the light one. */
export async function accessibilityProblemsInEachScheme(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colorProblems(page);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await accessibilityProblems(page);
  return [...dark.map((problem) => `dark: ${problem}`), ...light.map((problem) => `light: ${problem}`)];
}
