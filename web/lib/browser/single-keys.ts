import { storageOf } from "./storage.ts";
import { isTyping } from "./typing.ts";

/** The characters that do something wherever one is, unless one writes. */
export const SINGLE_KEYS: readonly string[] = ["/", "?"];

const KEPT_AS = "coffer:single-keys";
const OFF = "off";

/** Whether these characters do something in this browser: who speaks to it may say them without meaning that. */
export function usesSingleKeys(): boolean {
  return storageOf("localStorage")?.getItem(KEPT_AS) !== OFF;
}

/** Keeps the choice in this browser, if the browser allows storage. */
export function keepSingleKeys(isOn: boolean): void {
  storageOf("localStorage")?.setItem(KEPT_AS, isOn ? "on" : OFF);
}

/** Whether a key that was pressed is meant as one of these: not in a field, nor while a dialog is open. */
export function isSingleKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (!SINGLE_KEYS.includes(key) || ctrlKey || metaKey || altKey || isTyping(target)) return false;
  return document.querySelector("dialog:modal") === null && usesSingleKeys();
}
