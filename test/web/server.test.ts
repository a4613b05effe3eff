import { afterEach, expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { fieldOf, type Setting as Described } from "../../src/config/setting.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import type { ServerProblem, Setting } from "../../web/lib/api/types.ts";
import { textOfPlans, valuesOfPlans } from "../../web/lib/server.ts";
import { groupsOf } from "../../web/lib/setting-groups.ts";
import { hintOf, shownValue, sourceOf, wordsOfSetting } from "../../web/lib/words/setting-words.ts";
import { wordsOfProblem } from "../../web/lib/words/problem-words.ts";
import { showCatalogue } from "../../web/lib/words/text.ts";
import german from "../../web/messages/de.json";

afterEach(() => showCatalogue("en", {}));

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
  expect(groups.at(-1)?.settings.map(({ name }) => name)).toEqual(["data_dir", "blobs", "key_prefix", "log"]);
});

test("what can be changed has words of its own, and nothing else has", () => {
  for (const setting of settings)
    expect([setting.name, wordsOfSetting(setting) !== null]).toEqual([setting.name, setting.changeable]);
});

test("what cannot be changed says what the server's help says, in each language", () => {
  const helped = settings.filter(({ changeable }) => !changeable);
  expect(helped.map(hintOf)).toEqual(helped.map(({ help }) => help));
  showCatalogue("de", german);
  expect(helped.filter((setting) => hintOf(setting) === setting.help)).toEqual([]);
});

test("a default that is none of the values is said in each language", () => {
  const all: Described<unknown>[] = Object.values(SETTINGS);
  const described = all.filter(({ absent }) => absent !== undefined).map((each) => named(fieldOf(each)));
  showCatalogue("de", german);
  expect(described.filter((setting) => shownValue(setting).includes(setting.default_value))).toEqual([]);
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
  expect(shownValue(named("claim_base_url"))).toBe("the base URL");
  expect(shownValue(named("port"))).toBe("2633");
  expect(shownValue(named("backup", { value: "none", source: "flag" }))).toBe("none");
  expect(shownValue(named("oidc_client_secret"))).toBe("Not set");
  expect(shownValue(named("oidc_client_secret", { source: "environment" }))).toBe("Set");
  expect(sourceOf(named("keep_days", { source: "flag" }))).toBe("Set by the flag --keep-days");
  expect(sourceOf(named("keep_days", { source: "environment" }))).toBe("Set by COFFER_KEEP_DAYS");
});

function problemInWords(kind: ServerProblem["kind"], acme: string | null): string {
  const server = { disk: { reserve: 0 }, settings: [named("tls_acme", { value: acme })] };
  const { what, advice } = wordsOfProblem({ kind, count: 3, since: null, reason: null }, server);
  return `${what}: ${advice}`;
}

/** What is wrong with a certificate: from files, and from an authority. */
function certificatesInWords(): readonly string[] {
  return (["certificate_unusable", "certificate_ending"] as const).flatMap((kind) => [
    problemInWords(kind, null),
    problemInWords(kind, "drive.example.com"),
  ]);
}

test("what is wrong with a certificate is said for whence it is, in each language", () => {
  const english = certificatesInWords();
  const [files, issued, renewable, renewed] = english;
  for (const words of [files, renewable]) expect(words).toMatch(/TLS files|changed files/);
  for (const words of [issued, renewed]) expect(words).not.toContain("files");
  showCatalogue("de", german);
  expect(certificatesInWords().filter((words, at) => words === english[at])).toEqual([]);
});
