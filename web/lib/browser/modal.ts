import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusContent } from "./focus.ts";

/** Dispatched on the window when a modal dialog was opened or closed. */
export const MODALS_CHANGED = "coffer:modals-changed";

/**
 * Opens a `<dialog>` as a modal dialog while it is rendered. `onDismiss` is called when the person closes it, by
 * Escape for example, and not when it is no longer rendered. Afterwards the focus returns to where it was, or to the
 * page's content if that element is gone.
 */
export function useModal(onDismiss: () => void): RefObject<HTMLDialogElement | null> {
  const element = useRef<HTMLDialogElement>(null);
  const dismiss = useRef(onDismiss);
  dismiss.current = onDismiss;
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    const opener = document.activeElement;
    const closed = () => dismiss.current();
    dialog.addEventListener("close", closed);
    dialog.showModal();
    dispatchEvent(new Event(MODALS_CHANGED));
    // The browser focuses the first control and scrolls down to it, past the text above.
    if (dialog.scrollTop > 0) {
      dialog.focus();
      dialog.scrollTop = 0;
    }
    return () => {
      dialog.removeEventListener("close", closed);
      dialog.close();
      dispatchEvent(new Event(MODALS_CHANGED));
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusContent();
    };
  }, []);
  return element;
}
