/** Calls `then` once, after a time and while the page is in sight; returns a function that keeps it from that. */
export function onceInSight(milliseconds: number, then: () => void): () => void {
  const abort = new AbortController();
  const timer = setTimeout(() => {
    if (document.visibilityState === "visible") return then();
    document.addEventListener("visibilitychange", then, { once: true, signal: abort.signal });
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}
