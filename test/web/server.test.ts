import { expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import type { Setting } from "../../web/lib/api/types.ts";
import { textOfPlans, valuesOfPlans } from "../../web/lib/server.ts";
import { groupsOf } from "../../web/lib/setting-groups.ts";
import { shownValue, sourceOf, wordsOfSetting } from "../../web/lib/words/setting-words.ts";

const loaded = loadConfig({ flags: {}, env: {}, isTerminal: false });
if (!loaded.ok) throw new Error("the defaults are no settings");
const settings = loaded.config.asGiven.map((given): Setting => {
  const { name, variable, help, fallback: default_value, isChangeable: changeable, isSecret: secret } = given;
  return { name, variable, help, default_value, changeable, secret, value: null, source: "default" };
});

test("every setting is in one group, and few in none of their own", () => {
  const groups = groupsOf(settings);
  const names = groups.flatMap((group) => group.settings.map(({ name }) => name));
  expect(names.toSorted()).toEqual(settings.map(({ name }) => name).toSorted());
  expect(groups.at(-1)?.settings.map(({ name }) => name)).toEqual(["data_dir", "key_prefix", "log"]);
});

test("what can be changed has words of its own, and nothing else has", () => {
  for (const setting of settings)
    expect([setting.name, wordsOfSetting(setting) !== null]).toEqual([setting.name, setting.changeable]);
});

test("a value for each plan is read, and written again", () => {
  expect(valuesOfPlans("team=3, free=1")).toEqual({ free: "1", team: "3" });
  expect(valuesOfPlans("none")).toEqual({});
  expect(textOfPlans({ free: "1", pro: " ", team: " 5GB " })).toBe("free=1,team=5GB");
  expect(textOfPlans({ free: "", pro: "", team: "" })).toBe(null);
});

function named(name: string, more: Partial<Setting> = {}): Setting {
  const found = settings.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`no setting ${name}`);
  return { ...found, ...more };
}

test("a value is shown as people say it, and where it is from", () => {
  expect(shownValue(named("rate_limits", { value: "pro=5" }))).toBe("free: 60, pro: 5, and team: 1000");
  expect(shownValue(named("storage_limits"))).toBe("free: no limit, pro: no limit, and team: no limit");
  expect(shownValue(named("signups"))).toBe("Closed");
  expect(shownValue(named("oidc_client_secret"))).toBe("Not set");
  expect(shownValue(named("oidc_client_secret", { source: "environment" }))).toBe("Set");
  expect(sourceOf(named("keep_days", { source: "flag" }))).toBe("Set by the flag --keep-days");
  expect(sourceOf(named("keep_days", { source: "environment" }))).toBe("Set by COFFER_KEEP_DAYS");
});
