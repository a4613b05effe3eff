import { type Language, LANGUAGES } from "../../../src/domain/accounts/language.ts";
import { storageOf } from "../browser/storage.ts";
import { type Catalogue, showCatalogue } from "./text.ts";
import { languageOf, wishedLanguage } from "./wished-language.ts";

const KEPT_AS = "coffer:language";

/** Each language's catalogue, which comes when it is first shown. */
const CATALOGUES: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: Catalogue }>>> = {
  de: () => import("../../messages/de.json"),
  es: () => import("../../messages/es.json"),
  fr: () => import("../../messages/fr.json"),
  ja: () => import("../../messages/ja.json"),
  "zh-Hans": () => import("../../messages/zh-Hans.json"),
};

/** What the languages call themselves. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ja: "日本語",
  "zh-Hans": "简体中文",
};

/**
 * Shows the dashboard in a language, and English if its catalogue can't be had.
 *
 * @param chosen null for the one that the browser asks for
 */
export async function showLanguage(chosen: Language | null): Promise<void> {
  const language = chosen ?? wishedLanguage(navigator.languages);
  const catalogue = await catalogueOf(language);
  const shown = catalogue === null ? "en" : language;
  document.documentElement.lang = shown;
  showCatalogue(
    shown,
    catalogue ?? {},
    navigator.languages.find((wish) => languageOf(wish) === shown),
  );
}

/** The language that was chosen last in this browser: that of whoever signed in last. Null for the browser's own. */
export function keptLanguage(): Language | null {
  const kept = storageOf("localStorage")?.getItem(KEPT_AS);
  return LANGUAGES.find((language) => language === kept) ?? null;
}

/** Shows a language now, and has the page begin in it the next time, before it is known who is signed in. */
export async function chooseLanguage(chosen: Language | null): Promise<void> {
  if (chosen === null) storageOf("localStorage")?.removeItem(KEPT_AS);
  else storageOf("localStorage")?.setItem(KEPT_AS, chosen);
  await showLanguage(chosen);
}

async function catalogueOf(language: Language): Promise<Partial<Catalogue> | null> {
  if (language === "en") return {};
  try {
    return (await CATALOGUES[language]()).default;
  } catch {
    // The server is away: the page says so itself.
    return null;
  }
}
