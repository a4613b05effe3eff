import { type Setting, variableOf } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

export const UNITS =
  "SIZE is a number of bytes, or a number with B, KiB, MiB, GiB or TiB; KB, MB, GB and TB mean the same\n" +
  "powers of 1024. DURATION is a number with ms, s, m or h. A flag overrides its variable.";

const CHANGED =
  "Administrators can change what is marked with * while the server runs, unless a flag or a variable says it.";

/** The flags of `serve` with their variables and defaults, for `--help`; ends without a line break. */
export function settingsHelp(): string {
  const all: Setting<unknown>[] = Object.values(SETTINGS);
  const lines = all.flatMap((each) => [
    `  ${each.flag}${each.changeable === true ? " *" : ""}`,
    `      ${each.help} [${variableOf(each)}, default ${each.fallback}]`,
  ]);
  return [...lines, "", UNITS, CHANGED].join("\n");
}
