/** English words that most texts and questions have. A search looks for them only if it has no others. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been being but by can could did do does doing done for from get gets had has have
  how i if in into is it its just me my of on or our ours please shall should so some than that the their them then
  there these they this those to us was we were what when where whether which while who whom whose why will with would
  you your`.split(/\s+/u),
);

/** What an apostrophe parts from these words: the ends of `what's`, `don't` and `I've`. */
const ENDS: ReadonlySet<string> = new Set(["d", "ll", "m", "re", "s", "t", "ve"]);
const NEGATED: ReadonlySet<string> = new Set([
  "aren",
  "can",
  "couldn",
  "didn",
  "doesn",
  "don",
  "isn",
  "shouldn",
  "wasn",
  "won",
]);

/** Whether the words of a term say nothing of what is looked for. */
export function isCommon([first = "", end, ...more]: readonly string[]): boolean {
  if (end === undefined) return COMMON_WORDS.has(first);
  return more.length === 0 && ENDS.has(end) && (COMMON_WORDS.has(first) || NEGATED.has(first));
}

/** The terms that a file must have: without the common ones, if there are others. */
export function requiredOf<Term extends { readonly isCommon: boolean }>(
  terms: readonly Term[],
): readonly Term[] {
  const others = terms.filter((term) => !term.isCommon);
  return others.length === 0 ? terms : others;
}
