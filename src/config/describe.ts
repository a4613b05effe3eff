import { SETTINGS, variableOf } from "./settings.ts";

/** What the placeholders of the settings mean. */
export const UNITS =
  "SIZE is a number of bytes, or a number with B, KiB, MiB, GiB or TiB; KB, MB, GB and TB mean the same\n" +
  "powers of 1024. DURATION is a number with ms, s, m or h. A flag overrides its variable.";

/** The flags of `serve` with their variables and defaults, for `--help`; ends without a line break. */
export function settingsHelp(): string {
  const lines = Object.values(SETTINGS).flatMap((setting) => [
    `  --${setting.name} ${setting.placeholder}`,
    `      ${setting.help} [${variableOf(setting)}, default ${setting.fallback}]`,
  ]);
  return [...lines, "", UNITS].join("\n");
}
