import type { NamedActor } from "../changes/actor.ts";
import type { Digest } from "../contents/digest.ts";
import type { BlobPk, FileVersionPk } from "../id.ts";
import type { Filename } from "../files/path.ts";

/** The content that a file had once, with what named it then. Times are milliseconds since the epoch. */
export interface FileVersion {
  readonly pk: FileVersionPk;
  /** Counted from 1, in the order in which the file had its contents; never used again. */
  readonly version: number;
  readonly filename: Filename;
  readonly mimeType: string;
  readonly mimeGiven: boolean;
  /** Bytes. */
  readonly size: number;
  readonly blobPk: BlobPk;
  readonly digest: Digest;
  /** See `FileFacts.preview`. */
  readonly preview: string | null;
  readonly replacedAt: number;
  /** Null for the server. */
  readonly replacedBy: NamedActor | null;
}

const NUMBER = /^[1-9]\d{0,14}$/;

/** Reads the number of a version that a caller sent; null if it cannot be one (the caller then gets 404). */
export function parseVersionNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}
