import {
  type ChangeableSettings,
  type GivenSetting,
  isGiven,
  type ReadSettings,
} from "../domain/upkeep/settings.ts";
import { fieldOf, type Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";
import { Problem } from "./values.ts";

const CHANGEABLE: { readonly [Key in keyof ChangeableSettings]: Setting<ChangeableSettings[Key]> } = SETTINGS;

type Start = ChangeableSettings & { readonly asGiven: readonly GivenSetting[] };

/** What is in force with stored texts, by the names of their settings. What was given at the start stands. */
export function withStored(start: Start, stored: ReadonlyMap<string, string>): ReadSettings {
  const fixed = new Set(start.asGiven.filter(isGiven).map(({ name }) => name));
  const problems = new Map<string, string>();
  const read = <Key extends keyof ChangeableSettings>(key: Key): ChangeableSettings[Key] => {
    const name = fieldOf(CHANGEABLE[key]);
    const text = stored.get(name);
    if (text === undefined || fixed.has(name)) return start[key];
    const value = text === "" ? new Problem("must not be empty") : CHANGEABLE[key].parse(text);
    if (!(value instanceof Problem)) return value;
    problems.set(name, value.text);
    return start[key];
  };
  const settings: ChangeableSettings = {
    name: read("name"),
    signups: read("signups"),
    rateLimits: read("rateLimits"),
    storageLimits: read("storageLimits"),
    keepDays: read("keepDays"),
    keepVersions: read("keepVersions"),
  };
  return { settings, problems };
}
