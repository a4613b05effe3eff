/** What a file is, for people: its icon, its colour, and what storage is counted by. */
export const FILE_KINDS = [
  "image",
  "video",
  "audio",
  "table",
  "archive",
  "code",
  "pdf",
  "text",
  "other",
] as const;

export type FileKind = (typeof FILE_KINDS)[number];

/** The first pattern that matches a type gives its kind. */
const PATTERNS: readonly (readonly [kind: FileKind, type: RegExp])[] = [
  ["image", /^image\//],
  ["video", /^video\//],
  ["audio", /^audio\//],
  ["table", /csv|spreadsheet|excel|tab-separated/],
  ["archive", /zip|compressed|x-tar|gzip|x-7z|zstd|x-rar/],
  ["code", /json|javascript|typescript|xml|html|css|x-sh|python|yaml|toml|sql|wasm/],
  ["pdf", /pdf/],
  ["text", /^text\/|document|rtf|epub/],
];

/** The kind of a file with this MIME type. */
export function kindOf(mimeType: string): FileKind {
  return PATTERNS.find(([, pattern]) => pattern.test(mimeType))?.[0] ?? "other";
}
