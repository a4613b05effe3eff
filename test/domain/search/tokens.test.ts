import { Database as Sqlite } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { DrivePk } from "../../../src/domain/id.ts";
import type { Language } from "../../../src/domain/search/languages.ts";
import { parseQuery, type SearchTerm } from "../../../src/domain/search/query.ts";
import { hasForms, stemOf } from "../../../src/domain/search/stems.ts";
import { openEnd, textMatch, textTokens } from "../../../src/domain/search/tokens.ts";
import { Vocabulary } from "../../../src/domain/search/vocabulary.ts";
import { spellingsIn } from "../../../src/domain/search/words.ts";

const DRIVE = driveOne();

function driveOne(): DrivePk {
  using sql = new Sqlite(":memory:");
  const row = sql.query<{ pk: DrivePk }, []>("SELECT 1 AS pk").get();
  if (row === null) throw new Error("there is no row");
  return row.pk;
}

/** The index's terms of a text. */
function termsOf(text: string): string[] {
  return textTokens(DRIVE, spellingsIn(text), new Vocabulary()).split(" ");
}

/** The only term of a query; its end is open unless it has a `|` there. */
function termOf(query: string): SearchTerm {
  const [term] = parseQuery("q", query.replace(/\|$/, ""));
  if (term === undefined) throw new Error("the query has no term");
  return query.endsWith("|") ? { ...term, isPrefix: false } : term;
}

/** The lists of the index that a search reads for a term, if the index has these terms and the drive this language. */
function listsFor(query: string, indexed: readonly string[], language: Language | null): string[] {
  const term = termOf(query);
  const start = openEnd(DRIVE, term);
  const ends = start === null ? [] : indexed.filter((one) => one.startsWith(start));
  const { inflected } = term;
  const languages = language === null ? [null] : [null, language];
  const stems =
    inflected === null || !hasForms(inflected)
      ? []
      : [...new Set(languages.map((one) => stemOf(inflected, one)))];
  const match = textMatch(DRIVE, term, { ends: [...new Set(ends)], stems });
  return match === null ? [] : match.text.replaceAll('"', "").split(" OR ");
}

describe("the lists that are read for a word", () => {
  test.each<[what: string, query: string, text: string, language: Language | null, lists: string]>([
    ["that is its stem: its own, and that of the stem", "date|", "", null, "1wdate 1sdate"],
    ["of another form: those of the stem alone", "dates|", "", null, "1wdate 1sdate"],
    ["in two languages", "Häuser|", "", "de", "1whauser 1shauser 1whaus 1shaus"],
    ["that has one stem in both", "causes|", "", "fr", "1wcaus 1scaus"],
    ["with a digit: its own alone", "v2|", "", "de", "1wv2"],
    ["of an open end with a digit", "v201", "v201 v2015 v301", "de", "1wv201 1wv2015"],
    [
      "of an open end: those of other words that start with it, too",
      "date",
      "date dated dates dateline",
      null,
      "1wdate 1wdateline 1sdate",
    ],
    ["of an open end that is a form", "dates", "dates", null, "1wdate 1sdate"],
    ["of an open end that is the stem of another word", "datelin", "dateline", null, "1sdatelin"],
    ["of an open end that no text has", "dates", "", null, "1wdate 1sdate"],
    ["of a short open end", "add", "", null, "1padd 1wad 1sad"],
  ])("%s", (_, query, text, language, lists) => {
    expect(listsFor(query, termsOf(text), language).toSorted()).toEqual(lists.split(" ").toSorted());
  });
});

describe("every text with a form of a word, and no other, is in the lists that are read for it", () => {
  // The prose tells in what language each text is.
  test.each<[language: Language | null, forms: string, others: string, prose: string]>([
    [null, "date dates dated dating", "data dateline", ""],
    [null, "add adds added adding", "address", ""],
    [null, "run runs running", "runner", ""],
    [null, "policy policies", "police", ""],
    [null, "connect connects connected connecting connection", "cone", ""],
    ["de", "Haus Häuser Häusern", "Hausmeister", "die und ist nicht"],
    ["fr", "téléphone téléphones telephones", "tele", "les sont dans je ne"],
    ["ru", "книга книги книгу", "кнут", "и они уже не"],
    [null, "2026", "20260 2025", ""],
  ])("%s: %s", (language, forms, others, prose) => {
    const texts = [...forms.split(" "), ...others.split(" ")].map((word) => ({
      word,
      terms: termsOf(`${word} ${prose}`),
    }));
    const indexed = texts.flatMap(({ terms }) => terms);
    for (const form of forms.split(" ")) {
      const lists = new Set(listsFor(`${form}|`, indexed, language));
      const found = texts.filter(({ terms }) => terms.some((term) => lists.has(term)));
      expect([form, found.map(({ word }) => word)]).toEqual([form, forms.split(" ")]);
    }
  });

  test("and so is every text with a word that starts with one", () => {
    const words = "date dated dates dateline add address run runs runner v2 v20".split(" ");
    const texts = words.map((word) => ({ word, terms: termsOf(word) }));
    const indexed = texts.flatMap(({ terms }) => terms);
    for (const start of words.flatMap((word) => [word.slice(0, 2), word, word.slice(0, -1)])) {
      if (start.length < 2) continue;
      const lists = new Set(listsFor(start, indexed, null));
      const found = texts.filter(({ terms }) => terms.some((term) => lists.has(term)));
      const expected = words.filter((word) => word.startsWith(start));
      expect([start, found.map(({ word }) => word)]).toEqual([start, expect.arrayContaining(expected)]);
    }
  });
});
