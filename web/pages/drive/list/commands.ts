/** What a key asks of the list. */
export type ListCommand =
  /** To a row; with Shift selecting all on the way. */
  | { readonly does: "go"; readonly row: number; readonly extends: boolean }
  | { readonly does: "select-all" | "select-none" | "toggle" | "open" | "rename" | "delete" | "menu" };

/** What is read of a keyboard event. */
interface Pressed {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

interface Lines {
  /** How many rows stand side by side. */
  readonly columns: number;
  /** How many rows one goes on by with a screen. */
  readonly screen: number;
}

/** What a key pressed in the list means; null where it means nothing of ours. `active` is the current row. */
export function listCommandOf(event: Pressed, active: number, lines: Lines): ListCommand | null {
  if (event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return event.key === "a" ? { does: "select-all" } : null;
  const row = targetOf(event.key, active, lines);
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

function targetOf(key: string, active: number, { columns, screen }: Lines): number | null {
  switch (key) {
    case "ArrowDown":
      return active + columns;
    case "ArrowUp":
      return active < columns ? active : active - columns;
    case "ArrowRight":
      return columns === 1 ? null : active + 1;
    case "ArrowLeft":
      return columns === 1 ? null : active - 1;
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
