/** What shows that the person goes about by themselves. */
const TOUCHES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

let stop: (() => void) | null = null;

/**
 * Scrolls the window down to where it was, as soon as the page is long enough again: what stands in it may
 * still have to be loaded. Gives up when the person does something, or at the next call of this module.
 */
export function scrollBack(to: number): void {
  stayHere();
  const abort = new AbortController();
  // It tells before the browser draws what changed, so that the page is never seen at another place.
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

/** Ends what `scrollBack` began. */
export function stayHere(): void {
  stop?.();
  stop = null;
}
