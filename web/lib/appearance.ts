import { storageOf } from "./storage.ts";

/** How the pages look; `system` is as the device is set. */
export const APPEARANCES = ["system", "light", "dark"] as const;
/** One of `APPEARANCES`. */
export type Appearance = (typeof APPEARANCES)[number];

const KEPT_AS = "coffer:appearance";

/** What was chosen in this browser. */
export function chosenAppearance(): Appearance {
  const kept = storageOf("localStorage")?.getItem(KEPT_AS);
  return APPEARANCES.find((appearance) => appearance === kept) ?? "system";
}

/** Shows the pages so, now and whenever this browser opens them; where nothing is stored, as long as the page is open. */
export function chooseAppearance(appearance: Appearance): void {
  storageOf("localStorage")?.setItem(KEPT_AS, appearance);
  showAppearance(appearance);
}

/** Every colour is one for light and one for dark, between which `color-scheme` decides. */
export function showAppearance(appearance: Appearance): void {
  document.documentElement.style.colorScheme = appearance === "system" ? "" : appearance;
}
