import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import type { Vector } from "../../domain/search/vectors.ts";
import type { Thrown } from "../../process/answer-calls.ts";
import type { PathRange } from "../files/files.ts";

/** Conditions on files; null for none. Times are milliseconds since the epoch. */
export type SearchFilters = {
  /** Only files that have all of these. */
  readonly tags: readonly string[];
  /** A type without parameters, or its part up to the `/`. */
  readonly mimeType: string | null;
  /** Bytes. */
  readonly minSize: number | null;
  readonly maxSize: number | null;
  readonly updatedFrom: number | null;
  readonly updatedBefore: number | null;
};

/** What terms mean to a model. */
export interface Meaning {
  readonly model: string;
  readonly vector: Vector;
}

export interface SearchRequest {
  readonly drives: readonly DrivePk[];
  /** Null to search by the filters only; an empty list finds nothing. */
  readonly terms: readonly SearchTerm[] | null;
  /** What the terms mean, to find files that are near to it as well; null for none. */
  readonly meaning: Meaning | null;
  readonly paths: PathRange;
  readonly filters: SearchFilters;
  readonly offset: number;
  readonly limit: number;
  /** Files that have expired by this time are left out. */
  readonly now: number;
  /** How long it may take, in milliseconds. */
  readonly budget: number;
}

export interface SearchHit {
  readonly file: FilePk;
  /** From 0 to 1. */
  readonly score: number;
  /** The slice of its text where a term matched; null if none did. */
  readonly slice: number | null;
  /** Where in its text the passage begins that is nearest in meaning, in UTF-16 units; null if a term matched. */
  readonly near: number | null;
  /** The passage where it matched, if the text is not the content itself; else null. */
  readonly passage: string | null;
}

/** One page of hits, best first. */
export interface SearchFound {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly isExact: boolean;
  /** Whether no file has all terms: then these have the most of them, or are near to them in meaning. */
  readonly isRelaxed: boolean;
}

/**
 * The 32-bit cells in which the worker reports its progress, because it cannot send messages while a statement runs:
 * the id of the search whose statement runs (0 for none), and a number that changes with every statement.
 */
export const PROGRESS = { search: 0, statement: 1, cells: 2 } as const;

/** Messages to the worker: the database's path, once, then searches, and the end. */
export type ToWorker =
  | { readonly kind: "open"; readonly path: string; readonly progress: SharedArrayBuffer }
  | { readonly kind: "search"; readonly id: number; readonly request: SearchRequest }
  | { readonly kind: "close" };

/** Messages from the worker; one that is `unopened` answers no search. */
export type FromWorker =
  | { readonly kind: "found"; readonly id: number; readonly found: SearchFound }
  | { readonly kind: "overrun"; readonly id: number }
  | { readonly kind: "closed" }
  | { readonly kind: "unopened"; readonly thrown: Thrown }
  | { readonly kind: "failure"; readonly id: number; readonly thrown: Thrown };
