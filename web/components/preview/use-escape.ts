import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Calls `onEscape` on Escape in a dialog that is a part of the page, or nowhere. A modal one is closed by the browser. */
export function useEscape(element: RefObject<HTMLDialogElement | null>, onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key !== "Escape" || event.defaultPrevented || !(target instanceof HTMLElement)) return;
      if (document.querySelector("dialog:modal") !== null) return;
      if (target.closest("dialog") !== element.current && !target.matches("body, main")) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
