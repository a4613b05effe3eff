import { storageOf } from "../browser/storage.ts";
import { type ActionChoice, type Choice, keyOf, type LinkChoice } from "./choices.ts";

/** What was chosen: an action by its name alone, since it is only there while a page offers it. */
type Recent = LinkChoice | Pick<ActionChoice, "kind" | "name">;

const MOST = 6;

/** By account: another who signs in in this tab sees nothing of it. */
function keptAs(account: string): string {
  return `coffer:chosen:${account}`;
}

/** What was chosen in this tab, the last first; actions only if `now` has them. What it has is called as it is there. */
export function recentChoices(account: string, now: readonly Choice[]): readonly Choice[] {
  return stored(account).flatMap((recent) => {
    const known = now.find((choice) => keyOf(choice) === keyOf(recent));
    if (known !== undefined) return [known];
    return recent.kind === "action" ? [] : [recent];
  });
}

/** Keeps a choice in this tab. */
export function rememberChoice(account: string, choice: Choice): void {
  const chosen: Recent = choice.kind === "action" ? { kind: "action", name: choice.name } : choice;
  const others = stored(account).filter((recent) => keyOf(recent) !== keyOf(choice));
  const all = JSON.stringify([chosen, ...others].slice(0, MOST));
  storageOf("sessionStorage")?.setItem(keptAs(account), all);
}

function stored(account: string): readonly Recent[] {
  const kept: unknown = JSON.parse(storageOf("sessionStorage")?.getItem(keptAs(account)) ?? "[]");
  return Array.isArray(kept) ? kept.filter(isRecent) : [];
}

const KINDS: readonly unknown[] = ["page", "drive", "folder", "file"] satisfies LinkChoice["kind"][];

/** What was kept may be anything. */
function isRecent(value: unknown): value is Recent {
  if (typeof value !== "object" || value === null || !("kind" in value && "name" in value)) return false;
  if (typeof value.name !== "string") return false;
  if (value.kind === "action") return true;
  if (!KINDS.includes(value.kind) || !("where" in value && "to" in value)) return false;
  // Within the dashboard: `//` leads to another server.
  return typeof value.where === "string" && typeof value.to === "string" && /^\/(?!\/)/.test(value.to);
}
