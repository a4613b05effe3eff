/** A tag and its end. A tag with a comma stands in quotation marks; quotation marks inside it are doubled. */
const TYPED_TAG = /\s*(?:"((?:[^"]|"")+)"\s*|([^,]*))(?:,|$)/g;

/** The tags in the text of a tags field, separated by commas. */
export function tagsOf(text: string): string[] {
  return [...text.matchAll(TYPED_TAG)]
    .map(([, quoted, plain = ""]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim())
    .filter((tag) => tag !== "");
}
