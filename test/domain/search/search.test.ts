import { describe, expect, test } from "bun:test";
import { parseQuery } from "../../../src/domain/search/query.ts";
import { snippetOf } from "../../../src/domain/search/snippets.ts";
import {
  bytesToEndOf,
  OVERLAP_WORDS,
  SEARCHED_BYTES,
  searchedText,
  sliceCount,
  SLICES_A_FILE,
  spellingsOfSlice,
  wordsOfSlice,
} from "../../../src/domain/search/slices.ts";
import { foldName, wordsOf } from "../../../src/domain/search/words.ts";

describe("words", () => {
  test.each<[name: string, text: string, words: string[]]>([
    ["are folded", "Quick BROWN fox", ["quick", "brown", "fox"]],
    ["are letters and digits", "a_b-c.d/e\\f(g)+h\0i", ["a", "b", "c", "d", "e", "f", "g", "h", "i"]],
    ["have no accents", "Café naïve Ångström Ελλάδα", ["cafe", "naive", "angstrom", "ελλαδα"]],
    ["are composed or not", "e\u0301 \u00e9", ["e", "e"]],
    ["know ß and ss as one", "Straße STRASSE", ["strasse", "strasse"]],
    ["know both small sigmas as one", "ΟΔΟΣ οδος", ["οδοσ", "οδοσ"]],
    ["have one width", "ＡＢＣ１２", ["abc12"]],
    ["keep dakuten", "が か", ["が", "か"]],
    ["of Japanese are characters", "日本語テスト", ["日", "本", "語", "テ", "ス", "ト"]],
    ["of Thai are characters", "ไทย", ["ไ", "ท", "ย"]],
    ["of Korean are syllables", "학교에서", ["학", "교", "에", "서"]],
    ["of two scripts part", "日本abc", ["日", "本", "abc"]],
    ["keep Devanagari marks", "हिन्दी", ["हिन्दी"]],
    ["lose Arabic vowel signs", "كِتَاب", ["كتاب"]],
    ["are pictograms", "a🎉❤\ufe0fb", ["a", "🎉", "❤", "b"]],
    ["come out of ligatures", "㍿", ["株", "式", "会", "社"]],
    ["outside of the basic plane", "𠮷野 𐐀𐐁", ["𠮷", "野", "𐐨𐐩"]],
    ["are cut", "x".repeat(100), ["x".repeat(64)]],
    ["are cut between characters", `x${"𐐨".repeat(50)}`, [`x${"𐐨".repeat(31)}`]],
    ["are none in punctuation", "\"'*:^()-+{}[] \t\n", []],
  ])("%s", (_, text, words) => {
    expect(Array.from(wordsOf(text), (word) => word.text)).toEqual(words);
  });

  test("say where they stand", () => {
    expect([...wordsOf("Ab ㍿", 1)]).toEqual([
      { text: "b", written: "b", start: 1, end: 2 },
      ...["株", "式", "会", "社"].map((text) => ({ text, written: text, start: 3, end: 4 })),
    ]);
  });

  test("are known as they are written too, in lower case", () => {
    const written = Array.from(wordsOf("CAFÉ Straße новый e\u0301 ＡＢ"), (word) => word.written);
    expect(written).toEqual(["café", "straße", "новый", "é", "ａｂ"]);
  });
});

test.each([
  ["Invoice 2030-01.PDF", "_invoice_2030_01_pdf_"],
  ["a/b/", "_a_b_"],
  ["--", "_"],
  ["Café東京", "_cafe東京_"],
])("the name %p is compared as %p", (name, folded) => {
  expect(foldName(name)).toBe(folded);
});

describe("queries", () => {
  /** Terms by their words; a prefix has an asterisk. */
  test.each<[query: string, terms: string[]]>([
    ["Quick fox", ["quick", "fox*"]],
    ["quick ", ["quick*"]],
    ['"quick fox"', ["quick fox"]],
    ['a "b c" d-e', ["a", "b c", "d e"]],
    ['x "y z', ["x", "y z"]],
    ['"', []],
    ['""', []],
    ["fox ***", ["fox*"]],
    ["fox fox fox2", ["fox", "fox2*"]],
    ["report-fi", ["report fi*"]],
    ["東京都", ["東 京 都"]],
    ["AND OR", ["and", "or*"]],
    ["NEAR(a b)", ["near a", "b"]],
    ["a", ["a"]],
  ])("%p", (query, terms) => {
    const expected = terms.map((term) => {
      const words = term.replace("*", "").split(" ");
      // In a name, characters of Japanese stand side by side, and other words apart.
      return { words, isPrefix: term.endsWith("*"), needle: words.join(/\w/.test(term) ? "_" : "") };
    });
    expect(parseQuery("q", query)).toMatchObject(expected);
  });

  test.each([
    ["513 characters", "x".repeat(513)],
    ["17 words", Array.from({ length: 17 }, (_, index) => `w${index}`).join(" ")],
    ["a phrase of 129 words", `"${Array.from({ length: 129 }, (_, index) => index).join(" ")}"`],
    ["a phrase with a word 17 times", `"${"a b ".repeat(17)}"`],
  ])("of %s are refused", (_, query) => {
    expect(() => parseQuery("q", query)).toThrow("q must");
  });

  test("of 512 characters beyond the basic plane are read", () => {
    expect(parseQuery("q", "𐐨".repeat(512))).toHaveLength(1);
  });
});

describe("slices", () => {
  const SLICE = 32 * 1024;
  test.each<[name: string, text: string]>([
    ["nothing", ""],
    ["one word", "word"],
    ["many words", Array.from({ length: 60_000 }, (_, index) => `w${index}`).join(" ")],
    ["no spaces", "東京𠮷".repeat(50_000)],
    ["gaps at odd places", `${"a".repeat(SLICE - 10)} ${"b".repeat(20)} ${"c ".repeat(SLICE)}`],
  ])("of %s have every word, in order, and overlap", (_, text) => {
    const all = [...wordsOf(text)];
    let end = 0;
    for (let slice = 0; slice < sliceCount(text); slice += 1) {
      const words = [...wordsOfSlice(text, slice)];
      const first = Math.max(
        0,
        all.findIndex(({ start }) => start === words[0]?.start),
      );
      expect(words).toEqual(all.slice(first, first + words.length));
      expect(spellingsOfSlice(text, slice)).toEqual(words.map((word) => text.slice(word.start, word.end)));
      // Where the one before has not come to the end of the text, it has the whole overlap.
      if (slice > 0 && end < all.length) expect(first).toBe(end - OVERLAP_WORDS);
      end = first + words.length;
    }
    expect(end).toBe(all.length);
  });

  test("of a run without end are cut between characters", () => {
    const text = `x y ${"𐐨".repeat(SLICE)} z`;
    for (let slice = 0; slice < sliceCount(text); slice += 1) {
      const words = [...wordsOfSlice(text, slice)];
      expect(words.every((word) => word.text.isWellFormed())).toBe(true);
      expect(spellingsOfSlice(text, slice)).toEqual(words.map(({ start, end }) => text.slice(start, end)));
    }
  });

  test.each<[name: string, bytes: Uint8Array]>([
    ["ASCII", Buffer.from("word ".repeat(30_000), "utf8")],
    ["UTF-8", Buffer.from("東京 ".repeat(40_000), "utf8")],
    ["UTF-16", Buffer.from(`\ufeff${"東京 ".repeat(40_000)}`, "utf16le")],
  ])("of %s end within the first bytes that are read for them", (_, bytes) => {
    const whole = searchedText(bytes) ?? "";
    for (const slice of [0, 1, 2]) {
      const start = searchedText(bytes.subarray(0, bytesToEndOf(slice)), true) ?? "";
      expect([...wordsOfSlice(start, slice)]).toEqual([...wordsOfSlice(whole, slice)]);
    }
  });

  test("are at most 32 for a searched text", () => {
    expect(sliceCount("x".repeat(SEARCHED_BYTES))).toBe(SLICES_A_FILE);
  });
});

describe("texts", () => {
  test.each<[name: string, content: Uint8Array, text: string | null]>([
    ["UTF-8", Buffer.from("é日", "utf8"), "é日"],
    ["UTF-8 with a mark", Buffer.from("\ufeffé", "utf8"), "é"],
    ["UTF-16 LE", Buffer.from("\ufeffé日", "utf16le"), "é日"],
    ["UTF-16 BE", Buffer.from("\ufeffé日", "utf16le").swap16(), "é日"],
    ["Latin-1", Buffer.from("caf\xe9", "latin1"), "café"],
    ["what has a NUL", Buffer.from("a\0b", "utf8"), null],
    ["nothing", Buffer.from("", "utf8"), ""],
  ])("%s", (_, content, text) => {
    expect(searchedText(content)).toBe(text);
  });

  test("a character cut at the end of what is searched is left out", () => {
    const content = Buffer.from(`${"x".repeat(SEARCHED_BYTES - 1)}é`, "utf8");
    expect(searchedText(content)).toBe("x".repeat(SEARCHED_BYTES - 1));
  });
});

describe("snippets", () => {
  const long = `${"before ".repeat(50)}the needle here ${"after ".repeat(50)}`;
  test.each<[name: string, text: string, query: string, snippet: string | null]>([
    ["show a short text whole, in one line", "a\n\n\tneedle\u0007 <b>", "needle", "a needle <b>"],
    ["show where a prefix matches", "a needlework", "needle", "a needlework"],
    ["show a phrase", "brown quick, quick brown", '"quick brown"', "brown quick, quick brown"],
    ["show unspaced text", "私は東京都に住む", "京都", "私は東京都に住む"],
    ["are none where nothing matches", "nothing here", "needle", null],
  ])("%s", (_, text, query, snippet) => {
    expect(snippetOf(text, 0, parseQuery("q", query))).toBe(snippet);
  });

  test("are cut between words", () => {
    expect(snippetOf(long, 0, parseQuery("q", "needle"))).toMatch(
      /^…(before )+the needle here (after )+after…$/,
    );
    expect(snippetOf(long, 0, parseQuery("q", "needle"))?.length).toBeLessThan(210);
  });

  test("are cut between characters where there are no words", () => {
    const text = "𠮷".repeat(100) + "京" + "𠮷".repeat(200);
    const snippet = snippetOf(text, 0, parseQuery("q", "京")) ?? "";
    expect(snippet).toMatch(/^…𠮷+京𠮷+…$/u);
  });
});
