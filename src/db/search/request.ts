import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import type { PathRange } from "../path-range.ts";

/** What files must be like; null where it does not matter. Times are milliseconds since the epoch. */
export interface SearchFilters {
  /** Only files that carry every one of these. */
  readonly tags: readonly string[];
  /** A type without parameters, or the part of one up to its `/`. */
  readonly mimeType: string | null;
  /** Bytes. */
  readonly minSize: number | null;
  readonly maxSize: number | null;
  readonly updatedFrom: number | null;
  readonly updatedBefore: number | null;
}

/** A search as the worker takes it. */
export interface SearchRequest {
  readonly drives: readonly DrivePk[];
  /** Null to find by the filters alone; an empty list finds nothing. */
  readonly terms: readonly SearchTerm[] | null;
  readonly paths: PathRange;
  readonly filters: SearchFilters;
  readonly offset: number;
  readonly limit: number;
  /** Files that expired by now are not there. */
  readonly now: number;
  /** How long it may take, in milliseconds. */
  readonly budget: number;
}

/** A file that was found. */
export interface SearchHit {
  readonly file: FilePk;
  /** From 0 to 1. */
  readonly score: number;
  /** The slice of its text where a term was found; null where none was. */
  readonly slice: number | null;
}

/** One page of what was found, best first, and how much there is in all. */
export interface SearchFound {
  readonly hits: readonly SearchHit[];
  readonly total: number;
}

/**
 * The cells, 32 bits each, in which the worker says what it is at, since it cannot send anything while a
 * statement runs: the id of the search whose statement it is (0 for none), and a number that changes with
 * every statement.
 */
export const PROGRESS = { search: 0, statement: 1, cells: 2 } as const;

/** What goes to the worker: where the database is, once, then searches. */
export type ToWorker =
  | { readonly kind: "open"; readonly path: string; readonly progress: SharedArrayBuffer }
  | { readonly kind: "search"; readonly id: number; readonly request: SearchRequest };

/** What comes back; a `failure` is an error's text, for the log. */
export type FromWorker =
  | { readonly kind: "found"; readonly id: number; readonly found: SearchFound }
  | { readonly kind: "overrun"; readonly id: number }
  | { readonly kind: "failure"; readonly id: number; readonly message: string };
