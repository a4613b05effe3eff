import { join } from "node:path";

const DIRECTORY = join(import.meta.dir, "../../../.github/monitoring");

/** The alerts for Prometheus. */
export const RULES = await Bun.file(join(DIRECTORY, "alerts.yml")).text();

/** What the panels of the dashboard ask for, of all instances. */
export const EXPRESSIONS: readonly string[] = expressionsIn(
  await Bun.file(join(DIRECTORY, "dashboard.json")).json(),
);

function expressionsIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    name === "expr"
      ? [String(value).replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*")]
      : expressionsIn(value),
  );
}
