import type { TestAppliance } from "./appliance.ts";

/** What `/metrics` says: the value of each series, by its name with its labels, as `a_total{of="b"}`. */
export type Scrape = ReadonlyMap<string, number>;

export async function scrapeText(coffer: TestAppliance): Promise<string> {
  return (await coffer.client().send("GET", "/metrics")).text;
}

export async function scrape(coffer: TestAppliance): Promise<Scrape> {
  const lines = (await scrapeText(coffer)).split("\n").filter((line) => !/^(?:#|$)/.test(line));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** How much each of these series has grown since another scrape; one that was not there counts as 0. */
export function grown(before: Scrape, after: Scrape, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

/** Why tests that ask promtool are skipped; empty where it is. */
export const NO_PROMTOOL = Bun.which("promtool") === null ? "promtool not installed" : "";

/** What `promtool check` has against a text of this kind; empty if nothing. */
export function promtool(kind: "metrics" | "rules", text: string): string {
  const file = kind === "rules" ? ["/dev/stdin"] : [];
  const checked = Bun.spawnSync(["promtool", "check", kind, ...file], { stdin: Buffer.from(text) });
  const said = checked.stderr.toString();
  return checked.success ? said : `${checked.stdout.toString()}${said}` || "it failed";
}
