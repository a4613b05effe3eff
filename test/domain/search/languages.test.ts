import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { MIB } from "../../../src/domain/limits.ts";
import { LANGUAGES, languageOf, type Language } from "../../../src/domain/search/languages.ts";
import { hasForms, stemOf } from "../../../src/domain/search/stems.ts";
import { Vocabulary } from "../../../src/domain/search/vocabulary.ts";
import { spellingsIn, wordsOf } from "../../../src/domain/search/words.ts";

describe("the language of a text", () => {
  test.each<[language: Language | null, text: string]>([
    ["da", "Hvad blev der af den bog, du havde med, efter at hun var gået fra mig?"],
    ["de", "Die Rechnungen vom März sind noch nicht bezahlt, aber das ist bald so weit."],
    ["de", "Rechnung vom März"],
    ["el", "Τα έγγραφα που είναι στο γραφείο δεν είναι για όλους."],
    ["es", "Las canciones que los niños cantan en la escuela son muy antiguas."],
    ["fi", "Hän on ollut täällä jo kauan, mutta se ei ole hänen talonsa."],
    ["fr", "Les téléphones sont dans la maison, mais je ne sais pas où."],
    ["hu", "Ez a ház már nem az enyém, de még mindig itt lakom."],
    ["it", "Le fatture che sono nella cartella non sono ancora pagate."],
    ["nl", "De rekeningen van maart zijn nog niet betaald, maar dat komt wel."],
    ["no", "Vi har ikke sett på det nye huset, men det skal være noe for oss."],
    ["pt", "As faturas que estão na pasta não foram pagas, mas isso não é um problema."],
    ["ro", "Facturile din martie nu sunt încă plătite, dar este bine așa."],
    ["ru", "Новые документы лежат на столе, и они уже не нужны."],
    ["ru", "книга"],
    ["el", "Βιβλίο"],
    ["sv", "Vi har inte sett det nya huset, men det är något för oss som vill bo här."],
    ["tr", "Bu belgeler masanın üzerinde ve daha çok var, ama biz bunu bilmiyoruz."],
    [null, "The invoices of March are not paid yet, but that is on its way to us."],
    [null, "const all = new Map(); for (const one of some) { if (one) return; }"],
    [null, "de la ad fe 00 12 77 aa bb cc dd ee ff a1 b2 c3 d4 e5 f6 07 18 29 3a 4b 5c 6d 7e"],
    [null, "日本語の文章です。"],
    [null, ""],
  ])("%s: %s", (language, text) => {
    expect(languageOf(new Vocabulary().count(spellingsIn(text)).distinct)).toBe(language);
  });
});

describe("the forms of a word have one stem", () => {
  test.each<[language: Language | null, stem: string, forms: string]>([
    [null, "date", "date dates dated"],
    [null, "ad", "add adds added adding"],
    ["da", "hus", "hus huset husene"],
    ["de", "haus", "Haus Häuser Häusern HÄUSER"],
    ["de", "strass", "Straße Straßen STRASSE"],
    ["el", "εγγραφ", "έγγραφο έγγραφα εγγράφων"],
    ["es", "cancion", "canción canciones"],
    ["fi", "talo", "talo talossa talot"],
    ["fr", "telephon", "téléphone téléphones telephones"],
    ["hu", "haz", "ház házak házban"],
    ["it", "fattur", "fattura fatture"],
    ["nl", "reken", "rekening rekeningen"],
    ["no", "hus", "hus huset husene"],
    ["pt", "fatur", "fatura faturas"],
    ["ro", "cas", "casă case casele"],
    ["ru", "нов", "новый новая НОВЫЕ"],
    ["sv", "bil", "bil bilar bilen bilarna"],
    ["tr", "kitap", "kitap kitaplar kitapları"],
    ["de", "2026er", "2026er"],
  ])("%s: %s", (language, stem, forms) => {
    for (const word of wordsOf(forms))
      expect([word.written, stemOf(word, language)]).toEqual([word.written, stem]);
  });
});

test("a word with a digit has no other forms: it is its own stem in every language", () => {
  for (const word of wordsOf("2026 v2 b2b 2026er x² ٢٠٢٦ v２")) {
    const stems = [null, ...LANGUAGES].map((language) => stemOf(word, language));
    expect([word.written, hasForms(word), ...new Set(stems)]).toEqual([word.written, false, word.text]);
  }
  const others = Array.from(wordsOf("date Häuser книга 日 ⅳ"), (word) => [word.written, hasForms(word)]);
  expect(others).toEqual(["date", "häuser", "книга", "日", "ⅳ"].map((word) => [word, true]));
});

describe("a vocabulary", () => {
  test("counts the words of each text by itself", () => {
    const vocabulary = new Vocabulary();
    const counted = (text: string) =>
      vocabulary.count(spellingsIn(text)).distinct.map(({ text: word, times }) => `${word} ${times}`);
    expect(counted("a b a")).toEqual(["a 2", "b 1"]);
    expect(counted("b c ㍿")).toEqual(["b 1", "c 1", "株 1", "式 1", "会 1", "社 1"]);
  });

  test("knows how words begin, and their stems, unless those are the words themselves", () => {
    const [word, short, ...others] = new Vocabulary().count(spellingsIn("Rechnungen x 𐐨𐐨𐐨")).distinct;
    expect(word?.beginnings).toEqual(["re", "rec"]);
    expect([word?.stems, word?.stemsIn("de")]).toEqual([[], ["rechnung"]]);
    expect([short?.beginnings, short?.stems]).toEqual([[], []]);
    expect(others.map(({ beginnings }) => beginnings)).toEqual([["𐐨𐐨", "𐐨𐐨𐐨"]]);
  });

  test("finds words anew after it was cleared, as they were", () => {
    const vocabulary = new Vocabulary();
    const before = vocabulary.wordsIn("Rechnungen");
    expect(vocabulary.wordsIn("Rechnungen")).toBe(before);
    vocabulary.clear();
    const after = vocabulary.wordsIn("Rechnungen");
    expect(after).not.toBe(before);
    expect(after).toEqual(before);
  });

  test.each<[what: string, text: (n: number) => string]>([
    ["words, and not the texts that they were in", (n) => `remarkably${n} ${"-".repeat(64 * 1024)}`],
    ["no very long words", (n) => "ab".repeat(32 * 1024) + n],
  ])("keeps %s", (_, text) => {
    const vocabulary = new Vocabulary();
    const count = (from: number, to: number) => {
      for (let n = from; n < to; n += 1) vocabulary.count(spellingsIn(Buffer.from(text(n)).toString()));
      Bun.gc(true);
      const { heapSize, extraMemorySize } = heapStats();
      return heapSize + extraMemorySize;
    };
    const before = count(0, 100);
    expect(count(100, 900) - before).toBeLessThan(24 * MIB);
  });
});
