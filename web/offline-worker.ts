import { hasOfflinePage, isOfAnotherService, OFFLINE_PAGE } from "./lib/browser/offline-pages.ts";

// Begun by `components/shell/offline-page.tsx` in the installed dashboard. A page of it that cannot be had is answered
// with the offline page. It keeps nothing else, and everything else goes its way as without it.

// Not by `base-path.ts`, which pages have too: that would become a script of its own, which this one cannot load.
/** What the path of each address begins with: where this script is says it. */
const base = self.location.pathname.slice(0, -"/offline-worker.js".length);

addEventListener("install", (event) => {
  // It has no state: the one of another version may do its work at once.
  void self.skipWaiting();
  // Spares all other requests the way to here, where the browser can.
  void event.addRoutes?.([{ condition: { not: { requestMode: "navigate" } }, source: "network" }]);
});

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  // It is asked for what is below its own place alone.
  const path = new URL(url).pathname.slice(base.length);
  if (mode !== "navigate" || method !== "GET" || !hasOfflinePage(path)) return;
  event.respondWith(answer(event.request));
});

async function answer(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (isOfAnotherService(response)) void self.registration.unregister();
    return response;
  } catch {
    return (await caches.match(base + OFFLINE_PAGE)) ?? Response.error();
  }
}
