import { storageOf } from "./storage.ts";

const KEPT_AS = "coffer:preview";

/** Whether previews are to be large where there is room for them beside a list, as chosen in this browser. */
export function isLargeChosen(): boolean {
  return storageOf("localStorage")?.getItem(KEPT_AS) === "large";
}

/** Keeps a choice in this browser, if the browser allows storage. */
export function chooseLarge(isLarge: boolean): void {
  storageOf("localStorage")?.setItem(KEPT_AS, isLarge ? "large" : "beside");
}
