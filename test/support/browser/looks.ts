import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { accessibilityProblems, COLOR_RULES } from "./axe.ts";
import { resize } from "./browser.ts";
import { isThorough } from "../server/thorough.ts";

const SCREENSHOTS = resolve(import.meta.dir, "../../screenshots");
const HEIGHT = 844;

/**
 * How each page can be looked at. Some have pictures, for people to look at as well. What axe finds hardly
 * depends on the width: mostly the first two, both themes, are enough, without pictures.
 */
const LOOKS = [
  { look: "light", colorScheme: "light", width: 1280, hasPicture: true },
  { look: "dark", colorScheme: "dark", width: 1280, hasPicture: true },
  { look: "phone", colorScheme: "light", width: 360, hasPicture: true },
  { look: "phone-dark", colorScheme: "dark", width: 360, hasPicture: false },
] as const;

/** On a phone, between and beyond: where only the room changes. It is scarcest on a phone. */
const WIDTHS = [360, 768, 3840] as const;

/** What axe finds in the page in each look, and what does not fit into its widths; takes the pictures. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const { look, colorScheme, width, hasPicture } of isThorough() ? LOOKS : LOOKS.slice(0, 2)) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await resize(page, width, HEIGHT);
    if (hasPicture && isThorough()) {
      await mkdir(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${look}.png`), fullPage: true });
    }
    const rules = colorScheme === "dark" ? COLOR_RULES : undefined;
    const problems = [...(await accessibilityProblems(page, rules)), ...(await overflows(page))];
    found.push(...problems.map((problem) => `${look}: ${problem}`));
  }
  for (const width of isThorough() ? WIDTHS : WIDTHS.slice(0, 1)) {
    await resize(page, width, HEIGHT);
    found.push(...(await overflows(page)));
  }
  return found;
}

/** What is wider than there is room for. */
function overflows(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll("dialog")]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ tagName, scrollWidth, clientWidth }) => tagName + " needs " + scrollWidth + " pixels of " + clientWidth)`);
}
