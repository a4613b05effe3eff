import { join } from "node:path";
import type { Page } from "playwright-core";

/** The minified source: a page takes longer to parse the other one than to run it. */
const SOURCE = Bun.file(join(import.meta.dir, "../../../node_modules/axe-core/axe.min.js"));
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules about colours: only these depend on the theme, and are enough for the second theme of a page. */
export const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** The accessibility problems of the current page, by WCAG 2.2 AA; empty if there are none. */
export async function accessibilityProblems(page: Page, rules: readonly string[] = RULES): Promise<string[]> {
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
  const dark = await accessibilityProblems(page, COLOR_RULES);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await accessibilityProblems(page);
  return [...dark.map((problem) => `dark: ${problem}`), ...light.map((problem) => `light: ${problem}`)];
}
