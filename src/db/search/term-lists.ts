import type { DrivePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import {
  type Expression,
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

export interface Known {
  readonly term: SearchTerm;
  /** What to ask the index of texts; null if no text can match. */
  readonly text: Expression | null;
  /** Whether names are searched as well. */
  readonly isNamed: boolean;
  /** The first of the words that are left out, of those that start with the term; null if none is. */
  readonly next: string | null;
}

/** The files of one drive that the terms of a search match. */
export class TermLists {
  readonly #statements: SearchStatements;
  readonly #drive: DrivePk;
  readonly #work: Work;
  readonly #weights: Weights;

  constructor(statements: SearchStatements, drive: DrivePk, work: Work, weights: Weights) {
    this.#statements = statements;
    this.#drive = drive;
    this.#work = work;
    this.#weights = weights;
  }

  /** @param from for the start of a word, where to go on; null for the first time, when names are searched as well */
  know(term: SearchTerm, from: string | null): Known {
    const isNamed = from === null;
    const start = openEnd(this.#drive, term);
    if (start === null) return { term, text: textMatch(this.#drive, term, []), isNamed, next: null };
    const most = Math.floor(LISTS / term.words.length);
    const { ends, next } = this.#endsOf(start, from ?? start, most);
    return { term, text: textMatch(this.#drive, term, ends), isNamed, next };
  }

  /** In names and texts. */
  everywhere({ term, text, isNamed }: Known): TermFiles {
    const fields = isNamed ? this.#allNames(term) : [];
    if (text === null) return new TermFiles(fields);
    const files = postingsOf(this.#statements.texts, text, this.#work);
    return new TermFiles([...fields, { files, weight: this.#weights.text }]);
  }

  names(term: SearchTerm, fields: readonly SearchField[]): FieldFiles[] {
    return fields.map(({ weight, ...field }) => this.#named(nameMatch(this.#drive, field, term), weight));
  }

  #allNames(term: SearchTerm): FieldFiles[] {
    const fields = this.names(term, this.#weights.names);
    const stem = nameStemMatch(this.#drive, term);
    return stem === null
      ? fields
      : [...fields, { ...this.#named(stem, this.#weights.nameStem), isSpare: true }];
  }

  #named(expression: Expression, weight: number): FieldFiles {
    return { files: postingsOf(this.#statements.names, expression, this.#work), weight };
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
}
