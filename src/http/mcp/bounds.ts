import { utf8Length } from "../../domain/contents/texts/text.ts";

/** The most bytes of JSON in an answer that is a list, and of text in one that shows a file: about 10,000 tokens. */
export const ANSWER_BYTES = 32 * 1024;
/** The most bytes of JSON that such a text takes, in which some characters take six times their bytes. */
export const ANSWER_TEXT_JSON_BYTES = 36 * 1024;
/** The most files that a page of a list shows. */
export const PAGE_FILES = 100;
/** The same for a search, whose results are longer. */
export const SEARCH_RESULTS = 20;
/** The most bytes of a diff in an answer. */
export const ANSWER_DIFF_BYTES = 16 * 1024;
/** What one answer of grep holds: files, matches, and UTF-16 code units of lines in JSON. */
export const GREP_PAGE = { files: 30, bounds: { matches: 200, characters: 20_000 } };
/** The most bytes of an image that is shown. */
export const WHOLE_BYTES = 512 * 1024;
/** How many drives one page of resources looks into, if they are empty. */
export const LISTED_DRIVES = 100;
/** How many completions are shown, at most 100 (MCP, completion/complete). */
export const COMPLETIONS = 100;

/** The first items whose JSON fits into an answer: at least one, if there is one. */
export function fitting<T>(items: readonly T[]): readonly T[] {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += utf8Length(JSON.stringify(item))) > ANSWER_BYTES);
  return tooMany === -1 ? items : items.slice(0, Math.max(1, tooMany));
}
