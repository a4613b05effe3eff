import type { Brand, DriveId } from "../id.ts";

/** SHA-256 of a blob, as 64 lower-case hex digits: its name in the store, and the ETag of what it is the content of. */
export type Digest = Brand<string, "Digest">;

const DIGEST = /^[0-9a-f]{64}$/;

function isDigest(text: string): text is Digest {
  return DIGEST.test(text);
}

/** Reads a digest from a file name or a row; null if it is not one. */
export function parseDigest(text: string): Digest | null {
  return isDigest(text) ? text : null;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file that has a blob, or what is kept of one. */
export interface StoredPlace {
  readonly drive: DriveId;
  readonly path: string;
  /** Where it is kept; null for a file of the drive. */
  readonly kept: "trash" | "version" | "snapshot" | null;
}

/** How a place that is kept is told from a file of the drive, after its path. */
export function keptWhere({ kept }: Pick<StoredPlace, "kept">): string {
  switch (kept) {
    case null:
      return "";
    case "trash":
      return " (in the trash)";
    case "version":
      return " (an earlier version)";
    case "snapshot":
      return " (in a snapshot)";
  }
}

export interface ContentFacts {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}
