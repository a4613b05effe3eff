import { endOfCharacters } from "../contents/texts/text.ts";
import { type Language, type LanguageHint, languageHintOf } from "./languages.ts";
import { stemOf } from "./stems.ts";
import { type SpelledWord, wordsIn } from "./words.ts";

/** Of how many first characters of a word there are lists. */
const BEGINNINGS = [2, 3] as const;
export const LONGEST_BEGINNING = Math.max(...BEGINNINGS);

/** How many spellings are kept at most: about what a book has. */
const KEPT = 10_000;
/** UTF-16 units. Longer spellings are not kept: hardly a word is as long. */
const LONGEST_KEPT = 64;

/** What most words have: no lists of their own take the place of others in the processor's cache. */
const NO_STEMS: readonly string[] = [];

/** A word, and what the index wants to know of it. */
export class KnownWord {
  readonly text: string;
  /** Its first characters, as many as `BEGINNINGS` says; of a shorter word none. */
  readonly beginnings: readonly string[];
  readonly hint: LanguageHint;
  /** Its English stem, unless that is the word itself. */
  readonly stems: readonly string[];
  /** The number of the text that it was counted in last, and how often that has it. */
  #textNumber = 0;
  #times = 0;
  readonly #word: SpelledWord;
  /** What `stemsIn` was asked last. */
  #other: { readonly language: Language; readonly stems: readonly string[] } | null = null;

  constructor(word: SpelledWord, beginnings: readonly string[]) {
    this.#word = word;
    this.text = word.text;
    this.beginnings = beginnings;
    this.hint = languageHintOf(word.text);
    this.stems = this.#otherStems([null]);
  }

  /** Its English stem and that of a language, unless they are the word itself. */
  stemsIn(language: Language): readonly string[] {
    if (this.#other?.language !== language)
      this.#other = { language, stems: this.#otherStems([null, language]) };
    return this.#other.stems;
  }

  /** How often the text has it in which it was counted last. */
  get times(): number {
    return this.#times;
  }

  /** Counts it in a text of this number. Returns whether it is the first time there. */
  countIn(textNumber: number): boolean {
    const isFirst = this.#textNumber !== textNumber;
    this.#textNumber = textNumber;
    this.#times = isFirst ? 1 : this.#times + 1;
    return isFirst;
  }

  #otherStems(languages: readonly (Language | null)[]): readonly string[] {
    const stems = languages.map((language) => stemOf(this.#word, language));
    return stems.every((stem) => stem === this.text) ? NO_STEMS : stems.filter((stem) => stem !== this.text);
  }
}

/** The words of many texts: what is known of each is found once, since texts repeat their words. */
export class Vocabulary {
  readonly #words = new Map<string, readonly KnownWord[]>();
  /** How many texts were counted. */
  #texts = 0;
  readonly #beginnings = new Map<string, readonly string[]>();

  /** What a word is to search, as it stands in a text: see `wordsIn`. */
  wordsIn(spelling: string): readonly KnownWord[] {
    const before = this.#words.get(spelling);
    if (before !== undefined) return before;
    if (this.#words.size >= KEPT) this.clear();
    const own = copyOf(spelling);
    const words = wordsIn(own).map((word) => new KnownWord(word, this.#beginningsOf(word)));
    if (own.length <= LONGEST_KEPT) this.#words.set(own, words);
    return words;
  }

  /**
   * The words of a text, all and distinct, by their spellings in it. How often it has each holds until the next text is
   * counted: a map of counts for each text would be a third of the work.
   */
  count(spellings: readonly string[]): { all: readonly string[]; distinct: readonly KnownWord[] } {
    this.#texts += 1;
    const all: string[] = [];
    const distinct: KnownWord[] = [];
    for (const spelling of spellings) {
      for (const word of this.wordsIn(spelling)) {
        all.push(word.text);
        if (word.countIn(this.#texts)) distinct.push(word);
      }
    }
    return { all, distinct };
  }

  /** Forgets all words, which take megabytes: they are found again when texts have them. */
  clear(): void {
    this.#words.clear();
    this.#beginnings.clear();
  }

  /** The same list for all words that begin alike. */
  #beginningsOf({ text }: SpelledWord): readonly string[] {
    const letters = copyOf(text.slice(0, endOfCharacters(text, LONGEST_BEGINNING) ?? text.length));
    return this.#beginnings.getOrInsertComputed(letters, () =>
      BEGINNINGS.flatMap((length) => {
        const end = endOfCharacters(letters, length);
        return end === null ? [] : [letters.slice(0, end)];
      }),
    );
  }
}

/** A copy of a part of a text. The part itself, while it is kept, keeps all of the text in memory. */
function copyOf(part: string): string {
  return Buffer.from(part).toString();
}
