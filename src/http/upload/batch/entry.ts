import { type CofferError, invalid } from "../../../domain/errors.ts";
import type { BatchFields } from "../../../services/contents/batch-upload.ts";
import type { WriteContent } from "../upload-body.ts";

/** One of the files, or folders, that a body has. What is wrong with it alone is thrown by `read`. */
export interface BatchEntry {
  /** Its line, from 1; null in an archive. */
  readonly line: number | null;
  /** As it is written in the archive, to be shown; null if only `read` tells. */
  readonly path: string | null;
  readonly isFolder: boolean;
  /** Passes the content on, and resolves with the rest. Call it before the next entry is asked for. */
  readonly read: (write: WriteContent) => Promise<BatchFields>;
}

const SLASH = 0x2f;
/** Archivers write it before paths of the folder that they are called in. */
const BEFORE_PATHS = /^(?:\.\/)+/;
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder();

/** An entry of an archive. @param problem why it cannot be taken; null if it can */
export function archiveEntry(
  name: Uint8Array,
  isFolder: boolean,
  problem: CofferError | null,
  pieces: () => AsyncIterable<Uint8Array>,
): BatchEntry {
  const shown = LENIENT.decode(name).replace(BEFORE_PATHS, "");
  const read = async (write: WriteContent) => {
    const path = pathOf(name);
    if (problem !== null) throw problem;
    for await (const piece of pieces()) if (piece.length > 0) await write(piece);
    return { path };
  };
  return { line: null, path: shown, isFolder: isFolder || name.at(-1) === SLASH, read };
}

/** The path of an entry. */
function pathOf(name: Uint8Array): string {
  try {
    return STRICT.decode(name).replace(BEFORE_PATHS, "");
  } catch {
    throw invalid("path", "must be UTF-8");
  }
}

/** What stands at the end of entries where the body cannot be read any further. */
export function brokenEntry(problem: CofferError, line: number | null = null): BatchEntry {
  return { line, path: null, isFolder: false, read: () => Promise.reject(problem) };
}
