import type { FileFacts } from "./file.ts";

/** Characters of the part of a record's tag that stands for its attributes. */
const ATTRIBUTES_CHARACTERS = 16;

/** The entity tag of a file's record, without quotes: the content's, and a hash of all else that the record shows. */
export function recordTag(file: FileFacts): string {
  const { driveId, path, filename, mimeType, tags, metadata, expiresAt, createdAt, updatedAt } = file;
  const shown = [driveId, path, filename, mimeType, tags, metadata, expiresAt, createdAt, updatedAt];
  const hash = Bun.SHA256.hash(JSON.stringify(shown), "hex");
  return `${file.digest}.${hash.slice(0, ATTRIBUTES_CHARACTERS)}`;
}

/** An entity tag for If-Match that may have come without its quotes, with them. */
export function quotedTag(tag: string): string {
  return tag === "*" || tag.includes('"') ? tag : `"${tag}"`;
}

/** When a file last changed, in whole seconds since the epoch, as HTTP shows and compares it. */
export function modifiedSecond({ updatedAt }: FileFacts): number {
  return Math.floor(updatedAt / 1000);
}

/**
 * Whether a list of entity tags has one of these; `*` stands for any.
 *
 * @param weak whether `W/"..."` counts, as it does for If-None-Match (RFC 9110, section 8.8.3.2)
 */
export function etagMatches(list: string, tags: readonly string[], weak: boolean): boolean {
  if (list.trim() === "*") return true;
  for (const [, weakness, tag = ""] of list.matchAll(/(W\/)?"([^"]*)"/g)) {
    if (tags.includes(tag) && (weak || weakness === undefined)) return true;
  }
  return false;
}
