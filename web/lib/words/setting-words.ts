import { PLANS } from "../../../src/domain/accounts/roles.ts";
import type { Setting } from "../api/types.ts";
import { valueOf, valuesOfPlans } from "../server.ts";
import { formatList } from "./format.ts";
import { mark, type PlainMessage, t } from "./text.ts";

interface SettingWords {
  readonly title: string;
  readonly hint: string;
}

/** What people are told of the settings that can be changed. */
const WORDS: Readonly<Record<string, Readonly<Record<keyof SettingWords, PlainMessage>>>> = {
  name: {
    title: mark("Name"),
    hint: mark("Shown on each page, where people sign in, and in titles. 1 to 64 characters."),
  },
  signups: { title: mark("Registration"), hint: mark("Whether people may make an account by themselves.") },
  rate_limits: {
    title: mark("Requests a minute"),
    hint: mark("With one key. All keys of an account together get four times as many."),
  },
  storage_limits: {
    title: mark("Storage of an account"),
    hint: mark("Such as 10GB or 1TB. Empty for no limit."),
  },
  keep_days: {
    title: mark("Days that versions and the trash are kept"),
    hint: mark("0 keeps none."),
  },
  keep_versions: { title: mark("Earlier versions kept of a file"), hint: mark("0 keeps none.") },
};

/** What the page says of a setting; null where only the server's own help is shown. */
export function wordsOfSetting({ name }: Setting): SettingWords | null {
  const words = WORDS[name];
  return words === undefined ? null : { title: t(words.title), hint: t(words.hint) };
}

/** The value of a setting, for people. */
export function shownValue(setting: Setting): string {
  const value = valueOf(setting);
  if (setting.secret) return setting.source === "default" ? t("Not set") : t("Set");
  switch (setting.name) {
    case "signups":
      return value === "open" ? t("signups|Open") : t("Closed");
    case "rate_limits":
    case "storage_limits": {
      const values = { ...valuesOfPlans(setting.default_value), ...valuesOfPlans(value) };
      return formatList(
        PLANS.map((plan) => t("{plan}: {limit}", { plan, limit: values[plan] ?? t("no limit") })),
      );
    }
    default:
      return value;
  }
}

/** Where the value of a setting is from. */
export function sourceOf({ source, variable }: Setting): string {
  switch (source) {
    case "default":
      return t("Default");
    case "stored":
      return t("Changed here");
    case "environment":
      return t("Set by {variable}", { variable });
    case "flag":
      return t("Set by the flag {flag}", { flag: flagOf(variable) });
  }
}

function flagOf(variable: string): string {
  return `--${variable.replace("COFFER_", "").replaceAll("_", "-").toLowerCase()}`;
}
