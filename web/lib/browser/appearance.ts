import { storageOf } from "./storage.ts";

/** The colour schemes to choose from; `system` follows the device. */
export const APPEARANCES = ["system", "light", "dark"] as const;
export type Appearance = (typeof APPEARANCES)[number];

const KEPT_AS = "coffer:appearance";

/** What was chosen in this browser. */
export function chosenAppearance(): Appearance {
  const kept = storageOf("localStorage")?.getItem(KEPT_AS);
  return APPEARANCES.find((appearance) => appearance === kept) ?? "system";
}

/** Shows this appearance now, and keeps it in this browser, if the browser allows storage. */
export function chooseAppearance(appearance: Appearance): void {
  storageOf("localStorage")?.setItem(KEPT_AS, appearance);
  showAppearance(appearance);
}

/** Sets `color-scheme`, by which every colour of the styles is chosen, and the colour that the browser has around it. */
export function showAppearance(appearance: Appearance): void {
  const isSystem = appearance === "system";
  document.documentElement.style.colorScheme = isSystem ? "" : appearance;
  for (const color of document.querySelectorAll<HTMLMetaElement>("meta[data-scheme]")) {
    const { scheme } = color.dataset;
    color.media = isSystem ? `(prefers-color-scheme: ${scheme})` : scheme === appearance ? "all" : "not all";
  }
}
