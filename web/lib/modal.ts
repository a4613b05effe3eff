import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusContent } from "./focus.ts";

/**
 * Opens a `<dialog>` as a modal one for as long as it is rendered. `onDismiss` is called when the person
 * closes it (Escape), never when it just stops being rendered; then the focus goes back to where it was,
 * or to the page's content where that is gone.
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
    // It gives the focus to the first control, however far below what is to be read first.
    if (dialog.scrollTop > 0) {
      dialog.focus();
      dialog.scrollTop = 0;
    }
    return () => {
      dialog.removeEventListener("close", closed);
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusContent();
    };
  }, []);
  return element;
}
