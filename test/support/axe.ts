import { join } from "node:path";
import type { Page } from "playwright-core";

/** Half as long as the readable one, which takes a page longer to read than to be looked at. */
const SOURCE = Bun.file(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"));
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules that look at colours, and so at all that light and dark change. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** What stands in the way of people with disabilities on the page as it is, by WCAG 2.2 AA; empty if nothing does. */
export function accessibilityProblems(page: Page): Promise<string[]> {
  return problems(page, RULES);
}

/** Those of a page's colours alone: enough for another scheme of a page that was looked at in one. */
export function colorProblems(page: Page): Promise<string[]> {
  return problems(page, COLOR_RULES);
}

async function problems(page: Page, rules: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not bind.
  if (!(await page.evaluate<boolean>("'axe' in window"))) {
    await page.evaluate(`{ ${await SOURCE.text()} }`);
  }
  const options = { runOnly: rules, resultTypes: ["violations"] };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`);
}

/** The same in light and in dark, which is left light. */
export async function accessibilityProblemsInEachScheme(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colorProblems(page);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await accessibilityProblems(page);
  return [...dark.map((problem) => `dark: ${problem}`), ...light.map((problem) => `light: ${problem}`)];
}
