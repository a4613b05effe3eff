/** One tag and what ends it: quotation marks stand around a tag that has a comma, and are doubled inside. */
const TYPED_TAG = /\s*(?:"((?:[^"]|"")+)"\s*|([^,]*))(?:,|$)/g;

/** The tags that somebody typed into the field, where commas separate them. */
export function tagsOf(text: string): string[] {
  return [...text.matchAll(TYPED_TAG)]
    .map(([, quoted, plain = ""]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim())
    .filter((tag) => tag !== "");
}
