import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Keeps the focus when a rendering takes away what had it inside `element`, or moves it, which loses the
 * focus as well: it stays on what had it or else goes to `element`, which has to have a `tabIndex`.
 */
export function useKeptFocus(element: RefObject<HTMLElement | null>): void {
  const focused = document.activeElement;
  const within = element.current?.contains(focused) === true ? focused : null;
  useLayoutEffect(() => {
    if (!(within instanceof HTMLElement) || document.activeElement !== document.body) return;
    const next = within.isConnected ? within : element.current;
    next?.focus({ preventScroll: true });
  });
}
