import { UNITS } from "../../../src/config/help.ts";
import { nameOf, type Setting, variableOf } from "../../../src/config/setting.ts";
import { SETTINGS } from "../../../src/config/settings.ts";

/** The settings as the README's Markdown table has them; ends without a line break. */
export function settingsTable(): string {
  const all: Setting<unknown>[] = Object.values(SETTINGS);
  const rows = all.map((setting) => {
    const mark = setting.changeable === true ? " *" : "";
    const literal = setting.absent === undefined || setting.fallback.includes("//");
    const fallback = literal ? `\`${setting.fallback}\`` : setting.fallback;
    return `| \`${variableOf(setting)}\` | \`--${nameOf(setting)}\`${mark} | ${fallback} | ${setting.help} |`;
  });
  return ["| Variable | Flag | Default | Meaning |", "|---|---|---|---|", ...rows, "", UNITS].join("\n");
}
