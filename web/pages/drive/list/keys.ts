import { ROW_REM } from "../../../lib/files/row-scale.ts";
import { remInPixels } from "../../../lib/rem.ts";

/** What a key asks of the list. */
export type GridCommand =
  /** To a row; with Shift selecting all on the way. */
  | { readonly does: "go"; readonly row: number; readonly extends: boolean }
  | { readonly does: "select-all" | "select-none" | "toggle" | "open" | "rename" | "delete" | "menu" };

/** What a key pressed in the list means; null where it means nothing of ours. `active` is the current row. */
export function commandOf(event: KeyboardEvent, active: number): GridCommand | null {
  if (event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return event.key === "a" ? { does: "select-all" } : null;
  const row = targetOf(event.key, active);
  if (row !== null) return { does: "go", row, extends: event.shiftKey };
  switch (event.key) {
    case " ":
      return { does: "toggle" };
    case "Enter":
      return { does: "open" };
    case "Escape":
      return { does: "select-none" };
    case "F2":
      return { does: "rename" };
    case "Delete":
      return { does: "delete" };
    case "ContextMenu":
      return { does: "menu" };
    case "F10":
      return event.shiftKey ? { does: "menu" } : null;
    default:
      return null;
  }
}

/**
 * Whether a key counts that was pressed outside the rows: on a button of the folder's, or nowhere. There it
 * is about what is `selected`, never about the row that would have the focus but does not show it. Enter and
 * Space press the button, and arrows go into the list only where nothing else has them.
 */
export function countsOutside(
  { does }: GridCommand,
  { target, key }: KeyboardEvent,
  selected: number,
): boolean {
  if (!(target instanceof HTMLElement) || document.querySelector("dialog[open]") !== null) return false;
  if (target.matches("input:not([type=checkbox]), textarea, select")) return false;
  const isNowhere = target.matches("body, main");
  if (does === "go") return isNowhere && key.startsWith("Arrow");
  if (!isNowhere && target.closest(".folder") === null) return false;
  return does === "select-all" || does === "select-none" || (does === "delete" && selected > 0);
}

/** Whether a key belongs to the button of a row that has the focus. */
export function pressesButton({ does }: GridCommand, { target }: KeyboardEvent): boolean {
  return target instanceof HTMLButtonElement && (does === "open" || does === "toggle");
}

function targetOf(key: string, active: number): number | null {
  const screen = Math.max(1, Math.floor(innerHeight / (ROW_REM * remInPixels())) - 4);
  switch (key) {
    case "ArrowDown":
      return active + 1;
    case "ArrowUp":
      return active - 1;
    case "PageDown":
      return active + screen;
    case "PageUp":
      return active - screen;
    case "Home":
      return 0;
    case "End":
      return Number.MAX_SAFE_INTEGER;
    default:
      return null;
  }
}
