import type { Entry } from "../files.ts";
import { lifetimeOf, type LinkChoice } from "../links.ts";
import { storageOf } from "./storage.ts";

const KEPT_AS = "coffer:link";

/** What was chosen in this browser the last time; a folder has only a page. */
export function lastLinkChoice(kind: Entry["kind"]): LinkChoice {
  const [opens, seconds, once] = (storageOf("localStorage")?.getItem(KEPT_AS) ?? "").split(" ");
  const choice = opens === "download" && kind === "file" ? "download" : "page";
  return { opens: choice, seconds: lifetimeOf(choice, seconds), isOnce: once === "once" };
}

/** Keeps the choice in this browser, if the browser allows storage. */
export function keepLinkChoice({ opens, seconds, isOnce }: LinkChoice): void {
  storageOf("localStorage")?.setItem(KEPT_AS, `${opens} ${seconds} ${isOnce ? "once" : "often"}`);
}
