import { type Language, LANGUAGES } from "../../../src/domain/accounts/language.ts";

/** The first of a browser's wishes (BCP 47 tags) that can be met; English if there is none. */
export function wishedLanguage(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const language = languageOf(wish);
    if (language !== null) return language;
  }
  return "en";
}

/** The language that meets a wish: `de` for `de-AT`, `zh-Hans` for `zh-CN` but not for `zh-TW`. */
export function languageOf(wish: string): Language | null {
  try {
    const { language, script } = new Intl.Locale(wish).maximize();
    return LANGUAGES.find((known) => known === language || known === `${language}-${script}`) ?? null;
  } catch {
    return null;
  }
}
