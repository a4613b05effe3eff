import type { PathRange } from "../../db/files/files.ts";
import type { Digest } from "../../domain/contents/content.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import type { DriveId, DrivePk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { GREP_BOUNDS } from "../../domain/limits.ts";

/** See `GREP_BOUNDS`. */
export type GrepBounds = Readonly<typeof GREP_BOUNDS>;

/** Where a search of lines goes on: after a file, or inside it. */
export interface GrepPosition {
  readonly drive: DriveId;
  /** Empty for the start of the drive. */
  readonly path: string;
  /** Null for after the file. */
  readonly inside: LinePosition | null;
}

export interface LinePosition {
  /** The content: another one is searched from its start. */
  readonly digest: Digest;
  /** The bytes before the first line that is read. */
  readonly offset: number;
  /** The number of that line, from 1. */
  readonly line: number;
  /** How many lines from there have been searched. */
  readonly searched: number;
  /** How many matches the file had so far. */
  readonly matches: number;
}

/** What lines are searched for, and how many are given. */
export interface GrepTerms {
  /** A regular expression in the syntax of RE2. */
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** How many lines before and after each match are given. */
  readonly context: number;
  /** The most files with matches. */
  readonly limit: number;
  /** Where an earlier page ended. */
  readonly from: GrepPosition | null;
}

/** A search of lines, for the thread. */
export interface GrepRequest extends GrepTerms {
  /** In the order of their ids. */
  readonly drives: readonly { readonly id: DriveId; readonly pk: DrivePk }[];
  readonly paths: PathRange;
  /** Only files whose paths match, below a folder; null for all. As text: it goes to the thread. */
  readonly glob: { readonly pattern: string; readonly below: FolderPath } | null;
  readonly now: number;
  readonly bounds: GrepBounds;
}

export interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** The lines before and after it. Long lines are cut. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface MatchedFile {
  readonly file: FileFacts;
  readonly matches: readonly LineMatch[];
  /** Whether more of its lines match than are ever given. */
  readonly hasMore: boolean;
}

/** What a search of lines found, in path order. */
export interface GrepFound {
  readonly files: readonly MatchedFile[];
  /** Where to go on; null at the end. */
  readonly next: GrepPosition | null;
  /** Files whose contents are damaged, or could not be read. */
  readonly unread: readonly FileFacts[];
}
