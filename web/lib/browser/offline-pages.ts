// Of the offline worker alone: what a page imported too would become a script of its own, which it cannot load.

/** Under what address the browser's cache has the offline page. The server has nothing there; the base path comes before it. */
export const OFFLINE_PAGE = "/offline-page";

const PAGES =
  /^\/(?:(?:drives|search|keys|trash|activity|snapshots|members|links|webhooks|account|users|server|audit)(?:\/|$)|$)/;

/**
 * Whether the offline page may stand in for a path, without the base path: it is a page of people who are signed in. All else that the server
 * has, such as downloads, what links show, ways to sign in and `/docs`, is between it and the browser alone.
 */
export function hasOfflinePage(path: string): boolean {
  return PAGES.test(path);
}

/** Whether another service answers at the address of the server by now: it has not the policy of our pages. */
export function isOfAnotherService({ type, status, headers }: Response): boolean {
  // A proxy whose server is away says so itself, and one that asks to sign in sends elsewhere.
  if (type === "opaqueredirect" || status >= 500) return false;
  return headers.get("content-security-policy")?.includes("trusted-types coffer-workers") !== true;
}
