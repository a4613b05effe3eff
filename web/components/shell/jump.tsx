import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { commandKey } from "../../lib/browser/command-key.ts";
import type { OfferedActions } from "../actions.ts";
import { Icon } from "../icon.tsx";
import { later } from "../later.tsx";

const Palette = later(async () => (await import("../palette/palette.tsx")).Palette, null);

/** The dialogs that going elsewhere takes nothing from: what shows a file. */
const LEAVABLE = ".preview";

/** The button, and the key, that open "Search or jump to". @param actions what the page offers to be done */
export function Jump({ actions }: { readonly actions: OfferedActions }) {
  const [isOpen, setOpen] = useState(false);
  const next = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.altKey || document.querySelector(`dialog[open]:not(${LEAVABLE})`)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  // What was chosen may open a dialog itself, which is to give the focus back to what had it before this one.
  useLayoutEffect(() => {
    if (isOpen) return;
    const { current: go } = next;
    next.current = undefined;
    go?.();
  }, [isOpen]);
  const close = (then?: () => void) => {
    next.current = then;
    setOpen(false);
  };
  return (
    <>
      <button
        type="button"
        class="button jump"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Icon svg={searchIcon} /> <span class="jump-words">Search or jump to…</span>
        <kbd aria-hidden="true">{commandKey("K")}</kbd>
      </button>
      {isOpen && <Palette actions={actions.all()} onClose={close} />}
    </>
  );
}
