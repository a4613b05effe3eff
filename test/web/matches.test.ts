import { describe, expect, test } from "bun:test";
import { requiredOf } from "../../src/domain/search/common-words.ts";
import { parseQuery } from "../../src/domain/search/query.ts";
import { stemOf } from "../../src/domain/search/stems.ts";
import { markContent, markName, type Piece, termsOf } from "../../web/lib/words/matches.ts";

/** The pieces as one line, what was found between brackets. */
function written(pieces: readonly Piece[]): string {
  return pieces.map(({ text, found }) => (found ? `[${text}]` : text)).join("");
}

describe("a query is read as the server reads it", () => {
  test.each([
    "tea",
    "Green TEA",
    '"green tea" lea',
    'tea "black lea',
    "a-b c",
    "r\u00e9sum\u00e9",
    "\u8336\u306e",
    "t",
    "-- tea --",
    "how do I brew the tea?",
    "what is the",
    'teas "teas"',
    '""',
    "",
  ])("%j", (query) => {
    const required = requiredOf(parseQuery("q", query));
    const expected = required.map(({ words, isPrefix, inflected }) => ({
      words: [...words],
      isPrefix,
      stem: inflected === null ? null : stemOf(inflected, null),
    }));
    expect(termsOf(query)).toEqual(expected);
  });
});

describe("what was found is marked, and nothing is lost", () => {
  test.each<[query: string, text: string, marked: string]>([
    ["tea", "Tea and teapots, steam", "[Tea] and [teapots], steam"],
    ["tea pot", "Tea and teapots, pots", "[Tea] and teapots, [pots]"],
    ['"green tea"', "green tea, tea green", "[green tea], tea green"],
    ["tea tea", "tea", "[tea]"],
    ["resume", "a R\u00c9SUM\u00c9", "a [R\u00c9SUM\u00c9]"],
    ["\u8336\u306e", "\u7dd1\u8336\u306e\u6b74", "\u7dd1[\u8336\u306e]\u6b74"],
    ["b", "<b>b</b>", "<[b]>[b]</[b]>"],
    ["green-tea tea", "green tea", "[green tea]"],
    ["none", "tea", "tea"],
    ["brewing the teas", "The tea is brewed.", "The [tea] is [brewed]."],
    ['"teas" now', "tea", "tea"],
    ["tea", "", ""],
    ["Haus kaufen", "Alte H\u00e4user, ganz haarig", "Alte [H\u00e4user], ganz haarig"],
    ["H\u00e4user haarig", "Alte H\u00e4user, ein Haus", "Alte [H\u00e4user], ein Haus"],
  ])("%j in the content %j", (query, text, marked) => {
    const pieces = markContent(text, termsOf(query));
    expect([written(pieces), pieces.map((piece) => piece.text).join("")]).toEqual([marked, text]);
  });

  test.each<[query: string, name: string, marked: string]>([
    ["voice", "invoice-1.pdf", "in[voice]-1.pdf"],
    ["pdf invoice", "invoice-1.pdf", "[invoice]-1.[pdf]"],
    ["voice-1", "invoice-12.pdf", "[invoice-12].pdf"],
    ["strasse", "Stra\u00dfe.txt", "[Stra\u00dfe].txt"],
    ["\u7dd1", "\u7dd1\u8336.md", "[\u7dd1]\u8336.md"],
  ])("%j in the name %j", (query, name, marked) => {
    const pieces = markName(name, termsOf(query));
    expect([written(pieces), pieces.map((piece) => piece.text).join("")]).toEqual([marked, name]);
  });
});
