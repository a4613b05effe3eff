import { resolve } from "node:path";
import type { Page } from "playwright-core";

/** What axe reports, as far as a test shows it. */
interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const AXE = resolve(import.meta.dir, "../../node_modules/axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What stands in the way of people with disabilities on the page as it is, by WCAG 2.2 AA; empty if nothing does. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not bind.
  await page.evaluate(await Bun.file(AXE).text());
  const findings: Finding[] = JSON.parse(
    await page.evaluate<string>(
      `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => JSON.stringify(violations))`,
    ),
  );
  return findings.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/** The same in light and in dark, which is left light. */
export async function accessibilityProblemsInEachScheme(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await accessibilityProblems(page)).map((problem) => `${colorScheme}: ${problem}`));
  }
  return found;
}
