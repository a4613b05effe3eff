import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Gives the page's content the focus, so that Tab goes on from its start. */
export function focusContent(): void {
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

/** Hands the focus on to the page's content when what has it is taken away with `element`. */
export function useFocusHandedOn(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element;
    return () => {
      if (current?.contains(document.activeElement) === true) focusContent();
    };
  }, []);
}

/**
 * For the heading of a list: it takes the focus when entries have gone, `count` of them being left, and
 * with them what had it.
 */
export function useHeadingAfterLoss(count: number): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(0);
  useLayoutEffect(() => {
    if (count < before.current && document.activeElement === document.body) heading.current?.focus();
    before.current = count;
  }, [count]);
  return heading;
}

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
