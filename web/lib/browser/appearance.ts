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

/** Sets `color-scheme`, by which every colour of the styles is chosen. */
export function showAppearance(appearance: Appearance): void {
  document.documentElement.style.colorScheme = appearance === "system" ? "" : appearance;
}
