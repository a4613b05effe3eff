import type { DrivePk } from "../../domain/id.ts";
import { once } from "../../domain/once.ts";
import { type Language, LANGUAGES } from "../../domain/search/languages.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import { hasForms, stemOf } from "../../domain/search/stems.ts";
import {
  type Expression,
  languageTerm,
  NAME_MARKERS,
  nameMatch,
  nameStemMatch,
  openEnd,
  type SearchField,
  textMatch,
  type Weights,
} from "../../domain/search/tokens.ts";
import { firstAfter } from "../files/files.ts";
import { type FieldFiles, TermFiles } from "./lists.ts";
import { postingsOf } from "./postings.ts";
import type { SearchStatements } from "./statements.ts";
import type { Work } from "./work.ts";

/** How many lists of the index are combined for the start of a word; if few files are found, more follow. */
const LISTS = 512;

const NO_ENDS = { ends: [], next: null };
/** In UTF-16 units. Too many words begin with a shorter one. */
const SHORTEST_STEM = 3;

export interface Known {
  readonly term: SearchTerm;
  /** What to ask the index of texts; null if no text can match. */
  readonly text: Expression | null;
  /** Whether names are searched as well. */
  readonly isNamed: boolean;
  /** What other forms of the term have, if there may be some: by the rules of English, then by those of the other languages of the drive. */
  readonly stems: readonly string[];
  /** The first of the words that are left out, of those that start with the term; null if none is. */
  readonly next: string | null;
}

/** The files of one drive that the terms of a search match. */
export class TermLists {
  readonly #statements: SearchStatements;
  readonly #drive: DrivePk;
  readonly #work: Work;
  readonly #weights: Weights;
  /** The languages besides English that the drive has texts in. */
  readonly #languages = once(() => this.#findLanguages());

  constructor(statements: SearchStatements, drive: DrivePk, work: Work, weights: Weights) {
    this.#statements = statements;
    this.#drive = drive;
    this.#work = work;
    this.#weights = weights;
  }

  /** @param from for the start of a word, where to go on; null for the first time, when names are searched as well */
  know(term: SearchTerm, from: string | null): Known {
    const isNamed = from === null;
    const stems = this.#stemsOf(term);
    const start = openEnd(this.#drive, term);
    const most = Math.floor(LISTS / term.words.length);
    const { ends, next } = start === null ? NO_ENDS : this.#endsOf(start, from ?? start, most);
    return { term, text: textMatch(this.#drive, term, { ends, stems }), isNamed, stems, next };
  }

  /** In names and texts. */
  everywhere({ term, text, isNamed, stems }: Known): TermFiles {
    const fields = isNamed ? this.#allNames(term, stems) : [];
    if (text === null) return new TermFiles(fields);
    const files = postingsOf(this.#statements.texts, text, this.#work);
    return new TermFiles([...fields, { files, weight: this.#weights.text }]);
  }

  names(term: SearchTerm, fields: readonly SearchField[]): FieldFiles[] {
    return fields.map(({ weight, ...field }) => this.#named(nameMatch(this.#drive, field, term), weight));
  }

  /** Names have English stems as terms of their own; the beginning of a word is looked for as those of others. */
  #allNames(term: SearchTerm, [stem, ...others]: readonly string[]): FieldFiles[] {
    const { names, nameStem } = this.#weights;
    const fields = this.names(term, names);
    if (stem === undefined) return fields;
    const beginnings = others.filter((other) => other.length >= SHORTEST_STEM).map((other) => `_${other}`);
    const matches = [
      nameStemMatch(this.#drive, stem),
      ...beginnings.flatMap((needle) =>
        NAME_MARKERS.map((marker) => nameMatch(this.#drive, { marker, isWhole: false }, { needle })),
      ),
    ];
    return [
      ...fields,
      ...matches.map((match) => ({ ...this.#named(match, nameStem), isSpare: true as const })),
    ];
  }

  #named(expression: Expression, weight: number): FieldFiles {
    return { files: postingsOf(this.#statements.names, expression, this.#work), weight };
  }

  #stemsOf({ inflected }: SearchTerm): readonly string[] {
    if (inflected === null || !hasForms(inflected)) return [];
    return [...new Set([null, ...this.#languages()].map((language) => stemOf(inflected, language)))];
  }

  /** The terms of the index with a start, from one of them on, and the first after these. */
  #endsOf(start: string, from: string, most: number): { ends: readonly string[]; next: string | null } {
    const ends: string[] = [];
    const { nextTerm } = this.#statements;
    let found = nextTerm(from);
    while (found?.startsWith(start) === true) {
      if (ends.length === most) return { ends, next: found };
      ends.push(found);
      this.#work.did(1);
      found = nextTerm(firstAfter(found));
    }
    return { ends, next: null };
  }

  #findLanguages(): readonly Language[] {
    const start = languageTerm(this.#drive, "");
    const { ends } = this.#endsOf(start, start, LANGUAGES.length);
    return LANGUAGES.filter((language) => ends.includes(languageTerm(this.#drive, language)));
  }
}
