import { describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/domain/accounts/language.ts";
import { type SaidText, saidIn } from "../support/said-texts.ts";
import { sourcesIn } from "../support/sources.ts";

type Forms = Readonly<Record<string, string>>;

/** What reads like a text, and is none: where it stands, and why. */
const NO_TEXTS: readonly { readonly place: RegExp; readonly text: RegExp; readonly why: string }[] = [
  {
    place: /./,
    text: /^(?:(?:^| )(?:(?:Control|Meta|Shift)\+)*(?:Arrow\w*|Control|Page\w+|ContextMenu|Delete|End|Enter|Escape|F10|Home|Space|Tab|[A-Z]))+$/,
    why: "keys, as events name them",
  },
  { place: /./, text: /^(?:body|main|input|textarea|audio)\b[^!?]*$/, why: "selectors of CSS" },
  {
    place: /^web\/(?:components|pages)\//,
    text: /^(?:menu-item|button|ch|standing) [a-z -]*$/,
    why: "classes and widths",
  },
  { place: /\/editor\/theme\.ts$/, text: /^\dpx solid var\(--[a-z-]+\)$/, why: "lines of CSS" },
  { place: /./, text: /^(?:API|Coffer|SHA-256)$/, why: "proper names" },
  {
    place: /./,
    text: /^(?:coffer user [a-z-]+ NAME|new Webhook\(.*| ?COFFER_\w+.*|\/v0\/[a-z/]+)$/,
    why: "what is typed elsewhere",
  },
  { place: /\/lib\/agents\//, text: /./, why: "names of agents, and what they are given" },
  {
    place: /\/lib\/(?:code|markdown)\/|\/editor\/languages\.ts$/,
    text: /./,
    why: "names that languages of code give",
  },
  { place: /\/words\/(?:browser-name|language)\.ts$/, text: /./, why: "names of browsers and languages" },
  {
    place: /\/api\/server-message\.ts$/,
    text: /^(?:Tag |The(?: [a-z ]*)?)$/,
    why: "parts of English messages of the server",
  },
  {
    place: /\/(?:use-)?offline-pages?\.tsx?$/,
    text: /^(?:<!doctype .*|\(display-mode: \w+\)|trusted-types .*)$/,
    why: "what the browser is told of the offline page",
  },
  {
    place: /./,
    text: /^(?:AbortError|ApiError|DownloadURL|Files|OffscreenCanvas|PasswordException|16px sans-serif|no answer|not all|steps to file)$/,
    why: "what programs call things",
  },
];

const catalogues = await sourcesIn("web/messages", ["json"]);
const sources = await sourcesIn("web");
const said = sources.map(saidIn);
/** The texts of the dashboard, each once. */
const texts = new Map(said.flatMap((one) => one.texts).map((text) => [text.message, text]));

describe("what the dashboard says", () => {
  test("is in the catalogues, all of it", () => {
    const outside = said
      .flatMap((one) => one.outside)
      .filter((found) => !NO_TEXTS.some(({ place, text }) => isAt(found, place, text)));
    expect(outside).toEqual([]);
  });

  test("is said while something is drawn, when the language is known", () => {
    expect([...texts.values()].filter(({ isTooEarly }) => isTooEarly)).toEqual([]);
  });

  test("has no exceptions that nothing needs", () => {
    const found = said.flatMap((one) => one.outside);
    const unused = NO_TEXTS.filter(({ place, text }) => !found.some((one) => isAt(one, place, text)));
    expect(unused).toEqual([]);
  });
});

describe.each(LANGUAGES.filter((language) => language !== "en"))("the catalogue %s", (language) => {
  const file = catalogues.find(({ path }) => path === `web/messages/${language}.json`);
  const catalogue: Readonly<Record<string, string | Forms>> = JSON.parse(file?.text ?? "{}");

  test("has every text, and none that nothing says", () => {
    expect({ missing: [...texts.keys()].filter((message) => !(message in catalogue)) }).toEqual({
      missing: [],
    });
    expect({ unused: Object.keys(catalogue).filter((message) => !texts.has(message)) }).toEqual({
      unused: [],
    });
  });

  test("is in order, so that changes by many meet in few places", () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(catalogue).toSorted());
  });

  test("has the forms of its numbers, and every value that the English has", () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const wrong = [...texts.values()].filter((text) => {
      const entry = catalogue[text.message];
      if (entry === undefined) return false;
      if (text.one === null) return typeof entry !== "string" || !hasValues(entry, text);
      return (
        typeof entry === "string" ||
        entry["other"] === undefined ||
        !Object.keys(entry).every((form) => pluralCategories.some((known) => known === form)) ||
        !Object.values(entry).every((form) => hasValues(form, text))
      );
    });
    expect(wrong.map(({ message }) => message)).toEqual([]);
  });

  test("is in that language: few of its texts are the English ones", () => {
    const same = Object.entries(catalogue).filter(([message, entry]) => message === entry);
    expect(same.length).toBeLessThan(texts.size / 15);
  });
});

/** Whether a translation has the same values as the English, each as often; a form for one may do without the number. */
function hasValues(translated: string, { message, one }: SaidText): boolean {
  const without = one === null ? null : "{count}";
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).filter((value) => value !== without);
  return translated !== "" && values(translated).toSorted().join() === values(message).toSorted().join();
}

/** Whether something that was found (`path:line: text`) is one of the exceptions. */
function isAt(found: string, place: RegExp, text: RegExp): boolean {
  const [, path = "", what = ""] = /^(.+?):\d+: (.*)$/s.exec(found) ?? [];
  return place.test(path) && text.test(what);
}
