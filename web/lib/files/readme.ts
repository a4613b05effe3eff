const NAME = /^readme\.md$/i;
/** More is read in the preview. */
const MOST_CHARACTERS = 20_000;

/** The `README.md` among files, in any case of letters; of several always the same. Null where there is none. */
export function readmeAmong<File extends { readonly filename: string }>(files: Iterable<File>): File | null {
  let found: File | null = null;
  for (const file of files) {
    const isOne = NAME.test(file.filename) && (found === null || file.filename < found.filename);
    if (isOne) found = file;
  }
  return found;
}

/** The start of a document, up to the end of a paragraph if one ends there; all of it, if it is short. */
export function startOfReadme(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const end = text.lastIndexOf("\n\n", MOST_CHARACTERS);
  return text.slice(0, end > MOST_CHARACTERS / 2 ? end : MOST_CHARACTERS);
}
