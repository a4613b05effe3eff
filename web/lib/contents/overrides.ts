/** Characters that change the direction of what follows them: `photo<RLO>gpj.exe` shows as `photoexe.jpg`. */
const OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/u;
const AROUND_OVERRIDES = /([\u202a-\u202e\u2066-\u2069])/u;

/** Splits a text so that each of these characters is a piece of its own. */
export function splitAtOverrides(text: string): { readonly text: string; readonly isOverride: boolean }[] {
  return text.split(AROUND_OVERRIDES).map((part) => ({ text: part, isOverride: hasOverrides(part) }));
}

/** Whether a text has one of these characters. */
export function hasOverrides(text: string): boolean {
  return OVERRIDE.test(text);
}

/** The visible form of one of these characters: `U+202E`. */
export function overrideName(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A text with these characters made visible, for places that take plain text only. */
export function plain(text: string): string {
  return splitAtOverrides(text)
    .map((part) => (part.isOverride ? `⟨${overrideName(part.text)}⟩` : part.text))
    .join("");
}
