import { nameOf, SETTINGS, UNITS, variableOf } from "../../../src/config/settings.ts";

/** The settings as the README's Markdown table has them; ends without a line break. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting) => {
    const literal = setting.absent === undefined || setting.fallback.includes("//");
    const fallback = literal ? `\`${setting.fallback}\`` : setting.fallback;
    return `| \`${variableOf(setting)}\` | \`--${nameOf(setting)}\` | ${fallback} | ${setting.help} |`;
  });
  return ["| Variable | Flag | Default | Meaning |", "|---|---|---|---|", ...rows, "", UNITS].join("\n");
}
