/** Events that show that the person uses the page. */
const TOUCHES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

let stop: (() => void) | null = null;

/**
 * Scrolls the window down to `to`, in pixels, as soon as the page is long enough: its content may still be loading.
 * Gives up when the person uses the page, and at the next call of `scrollBack` or `stayHere`.
 */
export function scrollBack(to: number): void {
  stayHere();
  const abort = new AbortController();
  // Its callback runs before the browser draws, so that the page is never seen at another place.
  const changes = new MutationObserver(() => attempt());
  stop = () => {
    abort.abort();
    changes.disconnect();
  };
  const attempt = () => {
    if (document.documentElement.scrollHeight - innerHeight < to) return;
    scrollTo(0, to);
    stayHere();
  };
  const root = document.documentElement;
  changes.observe(root, { childList: true, subtree: true, attributeFilter: ["style"] });
  for (const type of TOUCHES) addEventListener(type, stayHere, { signal: abort.signal, passive: true });
}

/** Ends a pending `scrollBack`. */
export function stayHere(): void {
  stop?.();
  stop = null;
}
