import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusContent } from "./focus.ts";

/** The attribute of a dialog that is a part of the page. */
const BESIDE = "data-beside";

/** Dispatched on the window when a modal dialog was opened or closed. */
export const MODALS_CHANGED = "coffer:modals-changed";

/**
 * Opens a `<dialog>` while it is rendered: as a modal dialog, or as a part of the page, which leaves the focus where it
 * is. `onDismiss` is called when the person closes it, by Escape for example, and not when it is no longer rendered.
 * Afterwards the focus returns to where it was, or to the page's content if that element is gone.
 */
export function useModal(onDismiss: () => void, isModal = true): RefObject<HTMLDialogElement | null> {
  const element = useRef<HTMLDialogElement>(null);
  const dismiss = useRef(onDismiss);
  dismiss.current = onDismiss;
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    const opener = document.activeElement;
    // It may be open again in the other way.
    const closed = () => !dialog.open && dismiss.current();
    dialog.addEventListener("close", closed);
    return () => {
      dialog.removeEventListener("close", closed);
      const isFocusElsewhere = !dialog.matches(":modal") && !dialog.contains(document.activeElement);
      dialog.close();
      dispatchEvent(new Event(MODALS_CHANGED));
      if (isFocusElsewhere) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusContent();
    };
  }, []);
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    const isWithin = dialog.contains(document.activeElement);
    const focused = innermostFocus();
    if (dialog.open) dialog.close();
    dialog.toggleAttribute(BESIDE, !isModal);
    openAgain(dialog);
    dispatchEvent(new Event(MODALS_CHANGED));
    if (isWithin && focused instanceof HTMLElement) focused.focus();
    // The browser focuses the first control and scrolls down to it, past the text above.
    if (dialog.scrollTop > 0) {
      dialog.focus();
      dialog.scrollTop = 0;
    }
  }, [isModal]);
  return element;
}

/** Opens a dialog of `useModal` that was closed, in the way that it was open. */
export function openAgain(dialog: HTMLDialogElement): void {
  if (dialog.hasAttribute(BESIDE)) dialog.open = true;
  else dialog.showModal();
}

/** What has the focus, also within the shadow root of an element. */
function innermostFocus(): Element | null {
  let focused = document.activeElement;
  for (let inner = focused; inner !== null; inner = inner.shadowRoot?.activeElement ?? null) focused = inner;
  return focused;
}
