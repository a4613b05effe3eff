import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import { NO_PROMTOOL, promtool, scrapeText } from "../../support/server/metrics.ts";
import { EXPRESSIONS, RULES } from "../../support/server/monitoring.ts";
import { withReason } from "../../support/server/skip.ts";

const ROOT = join(import.meta.dir, "../../..");

const coffer = await startAppliance();
afterAll(() => coffer[Symbol.asyncDispose]());

/** Each metric, as it is asked for, with its type. */
const METRICS = new Map(
  Array.from(
    (await scrapeText(coffer)).matchAll(/^# TYPE (\w+) (\w+)$/gm),
    ([, name = "", type = ""]) => [name, type] as const,
  ),
);

/** What an expression names that there is not. */
function unknownIn(expression: string): string[] {
  const names = Array.from(expression.matchAll(/\b(?:coffer|process)_\w+/g), ([name]) => name);
  return names.filter((name) => {
    const whole = name.replace(/_(?:bucket|sum|count)$/, "");
    return !METRICS.has(name) && METRICS.get(whole) !== "histogram";
  });
}

test("the alerts and the dashboard name metrics that there are", () => {
  expect(EXPRESSIONS.length).toBeGreaterThan(30);
  for (const text of [RULES, ...EXPRESSIONS]) expect(unknownIn(text)).toEqual([]);
});

test.skipIf(NO_PROMTOOL !== "")(withReason("Prometheus takes both", NO_PROMTOOL), () => {
  expect(promtool("rules", RULES)).toBe("");
  const rules = EXPRESSIONS.map((expr, n) => ({ record: `panel:${n}`, expr }));
  expect(promtool("rules", JSON.stringify({ groups: [{ name: "dashboard", rules }] }))).toBe("");
});

test("the manual has a line for each metric, with its type", async () => {
  const page = await Bun.file(join(ROOT, ".github/docs/metrics.md")).text();
  const lines = Array.from(page.matchAll(/^\| `(\w+)`[^|]*\| (\w+) \|/gm), ([, name = "", type = ""]) => [
    name,
    type,
  ]);
  expect(lines).toEqual([...METRICS]);
});
