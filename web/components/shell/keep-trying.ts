/**
 * What the offline page does by itself: asks the server after longer and longer pauses, at once when there is a network
 * again or somebody looks, and shows the page that was asked for as soon as it is answered.
 *
 * Its text becomes the script of that page, so it uses nothing from outside.
 */
export function keepTrying(): void {
  /** In seconds; the last for all that follow. */
  const pauses = [2, 4, 8, 15, 30];
  const line = document.querySelector<HTMLElement>("[data-later]");
  let tries = 0;
  let left = 0;
  const tell = () => {
    if (line === null) return;
    const { later = "", now = "" } = line.dataset;
    line.textContent = left > 0 ? later.replace("{seconds}", String(left)) : now;
  };
  const rest = () => {
    left = pauses[Math.min(tries, pauses.length - 1)] ?? 0;
    tries += 1;
    tell();
  };
  const ask = async () => {
    left = 0;
    tell();
    // A request that is lost on its way must not end the trying.
    const request = { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(10_000) } as const;
    const answer = await fetch(location.href, request).catch(() => null);
    if (answer?.ok === true) location.reload();
    else rest();
  };
  const askNow = () => {
    if (left === 0 || document.visibilityState !== "visible") return;
    tries = 0;
    void ask();
  };
  document.querySelector("button")?.addEventListener("click", () => location.reload());
  addEventListener("online", askNow);
  document.addEventListener("visibilitychange", askNow);
  rest();
  setInterval(() => {
    if (left === 0) return;
    left -= 1;
    if (left === 0) void ask();
    else tell();
  }, 1000);
}
