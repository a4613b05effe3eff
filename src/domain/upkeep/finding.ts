/** What `coffer verify` can find, and what each means. The codes are stable: programs may check them. */
export const FINDINGS = {
  "database-corrupt": "SQLite finds its file damaged",
  "row-missing": "a row names one that is not there",
  "counter-wrong": "a stored count or size differs from what is there",
  "tree-wrong": "a file or folder is in another folder than its path says",
  "snapshot-wrong": "a file or folder is kept for no snapshot, or is in one twice",
  "tag-wrong": "the list of tagged files differs from the files",
  "record-wrong": "lists show other times of a file than it has",
  "index-corrupt": "the search index is damaged",
  "index-missing": "a file is not in the search index",
  "index-orphan": "the search index holds a file that is not there",
  "disk-away": "a disk of contents cannot be reached",
  "store-mismatch": "the contents belong to another database",
  "backup-damaged": "a part of a backup is missing or damaged, or its lease in the bucket is",
  "content-missing": "a content is not there",
  "content-damaged": "the bytes of a content are not the right ones",
} as const;

export type FindingCode = keyof typeof FINDINGS;

/** Something that is wrong with a store. */
export interface Finding {
  readonly code: FindingCode;
  /** One line: what it is about, and what is wrong with it. */
  readonly about: string;
}

/** Text from a store in a line: quoted, so that nothing in it breaks the line. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
