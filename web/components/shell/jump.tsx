import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keyNames } from "../../lib/browser/key-names.ts";
import { isSingleKey } from "../../lib/browser/single-keys.ts";
import { t } from "../../lib/words/text.ts";
import type { OfferedActions } from "../actions.ts";
import { Icon } from "../icon.tsx";
import { later } from "../later.tsx";

const Palette = later(async () => (await import("../palette/palette.tsx")).Palette, null);
const Shortcuts = later(async () => (await import("../palette/shortcuts.tsx")).Shortcuts, null);

/** The dialogs that going elsewhere takes nothing from: what shows a file. */
const LEAVABLE = ".preview";

/** The button, and the keys, that open "Search or jump to" and the list of shortcuts. @param actions of the page */
export function Jump({ actions }: { readonly actions: OfferedActions }) {
  const [open, setOpen] = useState<"palette" | "shortcuts" | null>(null);
  const next = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (asksForPalette(event)) setOpen("palette");
      else if (event.key === "?" && isSingleKey(event)) setOpen("shortcuts");
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  // What was chosen may open a dialog itself, which is to give the focus back to what had it before this one.
  useLayoutEffect(() => {
    if (open !== null) return;
    const { current: go } = next;
    next.current = undefined;
    go?.();
  }, [open]);
  const close = (then?: () => void) => {
    next.current = then;
    setOpen(null);
  };
  return (
    <>
      <button
        type="button"
        class="button jump"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen("palette")}
      >
        <Icon svg={searchIcon} /> <span class="jump-words">{t("Search or jump to…")}</span>
        <kbd aria-hidden="true">{keyNames("Control+K")}</kbd>
      </button>
      {open === "palette" && (
        <Palette actions={actions.all()} onShortcuts={() => setOpen("shortcuts")} onClose={close} />
      )}
      {open === "shortcuts" && <Shortcuts onClose={close} />}
    </>
  );
}

function asksForPalette({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  if (key.toLowerCase() !== "k" || !(ctrlKey || metaKey) || shiftKey || altKey) return false;
  return document.querySelector(`dialog[open]:not(${LEAVABLE})`) === null;
}
