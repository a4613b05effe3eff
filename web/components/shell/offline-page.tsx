import { type ComponentChild, render } from "preact";
import { plain } from "../../lib/contents/overrides.ts";
import { inBrowser } from "../../lib/browser/base-path.ts";
import type { OFFLINE_PAGE } from "../../lib/browser/offline-pages.ts";
import { keepOfflineWorker } from "../../lib/browser/own-worker.ts";
import { placeName } from "../../lib/browser/title.ts";
import { t } from "../../lib/words/text.ts";
import { keepTrying } from "./keep-trying.ts";
import { Outside } from "./outside.tsx";

/** Where the worker looks for the page. */
const KEPT_AS: typeof OFFLINE_PAGE = "/offline-page";

/** What a person sees who opens the installed dashboard while its server cannot be reached. */
function OfflinePage() {
  return (
    <Outside>
      <h1>{t("Can't reach the server.")}</h1>
      <p>
        {t("{host} doesn't answer. Either this device is offline, or the server is.", {
          host: location.host,
        })}
      </p>
      <p>{t("What was saved is on the server. This page comes by itself as soon as it answers again.")}</p>
      {/* Written by `keepTrying`; not said again each second. */}
      <p
        class="soft"
        aria-hidden="true"
        data-later={t("Trying again in {seconds} s.", { seconds: "{seconds}" })}
        data-now={t("Trying again…")}
      />
      <button type="button" class="button primary">
        {t("Try again")}
      </button>
    </Outside>
  );
}

/**
 * Has the browser answer with the offline page where pages of the dashboard cannot be had. The page is made anew each
 * time, of this version, in the language and with the look that are shown. It tells nothing of who is signed in.
 */
export async function keepOfflinePage(): Promise<void> {
  const cache = await caches.open("coffer-offline");
  await cache.put(inBrowser(KEPT_AS), await offlinePage());
  await keepOfflineWorker();
}

/** The page is whole in itself: while it is shown, nothing else can be had. */
async function offlinePage(): Promise<Response> {
  const root = document.documentElement;
  const { colorScheme } = root.style;
  const style = `${await dashboardStyle()}${colorScheme === "" ? "" : `:root{color-scheme:${colorScheme}}`}`;
  const script = `(${String(keepTrying)})()`;
  const title = document.createElement("title");
  title.textContent = plain(placeName.value);
  const metas = Array.from(document.head.querySelectorAll("meta"), (meta) => meta.outerHTML);
  const html = `<!doctype html><html lang="${root.lang}">${metas.join("")}${title.outerHTML}<style>${style}</style><body>${written(<OfflinePage />)}<script>${script}</script>`;
  const policy = [
    "default-src 'none'",
    `script-src ${await sourceOf(script)}`,
    `style-src ${await sourceOf(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const headers = { "content-type": "text/html;charset=utf-8", "content-security-policy": policy.join("; ") };
  return new Response(html, { status: 503, headers });
}

/** The style of the dashboard, which the browser has. */
async function dashboardStyle(): Promise<string> {
  const link = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]");
  return link === null ? "" : (await fetch(link.href)).text();
}

/** What is drawn, as text. */
function written(drawn: ComponentChild): string {
  const place = document.createElement("div");
  render(drawn, place);
  const text = place.innerHTML;
  render(null, place);
  return text;
}

/** How a policy names a script or a style by what it holds. */
async function sourceOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...hash))}'`;
}
