import index from "../../../web/index.html";
import maskableIcon from "../../../web/styles/coffer-maskable.svg" with { type: "text" };
import icon from "../../../web/styles/coffer.svg" with { type: "text" };
import { fixedFile } from "../content/fixed-file.ts";
import { wantsPage } from "../content/negotiation.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { type Route, Unrouted } from "../operation/route.ts";
import { isNavigation } from "../gate/origins.ts";
import { type Asset, assetsOf, workerAt } from "./bundles.ts";
import { atBasePath, putIntoManifest, putIntoPage, type PutName } from "./shown-text.ts";
import { workerPages } from "./worker-pages/code.ts";

/** The addresses of the dashboard, beside `/`. Its script decides which page to show. */
const PAGES =
  "/drives /drives/* /search /keys /trash /activity /snapshots /members /links /webhooks /account /users /server /audit /auth/setup /oauth/consent";

/**
 * What the dashboard may do: run its own script, use its own style, send requests to its own server. Uploaded
 * contents are shown from memory, and in no frame. Audio and video stream from the server. No text becomes markup or a
 * script (Trusted Types); the policy in `web/lib/browser/own-worker.ts` allows the addresses of its own workers.
 * By that policy's name the offline worker knows the answers of this server (`web/lib/browser/offline-pages.ts`).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types coffer-workers",
].join("; ");

const PAGE_HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
};
/** A worker does not inherit the policy of the page, and reads what is hostile: it needs nothing. */
const WORKER_HEADERS = {
  ...PAGE_HEADERS,
  "content-security-policy": "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
};
/** It fetches pages, and nothing else. */
const OFFLINE_WORKER_HEADERS = {
  ...WORKER_HEADERS,
  "content-security-policy": `${WORKER_HEADERS["content-security-policy"]}; connect-src 'self'`,
};
/** The icons of the installed dashboard, by the addresses that `web/app.webmanifest` has, which the bundler leaves. */
const ICONS = { "/icon.svg": icon, "/icon-maskable.svg": maskableIcon };
/** Of these and of the manifest, whose address stays when the server gets another name. */
const INSTALL_HEADERS = { "cache-control": "no-cache", "content-security-policy": "default-src 'none'" };
// Their names contain a hash of their contents.
const FILE_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

type Page = (request: Request) => Promise<Response>;

/** What answers requests for a text that says what the server is called: made again once that is another. */
function named(
  { read, type }: Asset,
  [nameOf, putName]: readonly [nameOf: () => string, putName: PutName],
  headers: Readonly<Record<string, string>>,
  vary: readonly string[] = [],
): Page {
  const pageNamed = (name: string) => {
    const bytes = async () => new TextEncoder().encode(putName(new TextDecoder().decode(await read()), name));
    return { name, answer: fixedFile(bytes, { ...headers, "content-type": type }, vary) };
  };
  let page = pageNamed(nameOf());
  return (request) => {
    const name = nameOf();
    if (name !== page.name) page = pageNamed(name);
    return page.answer(request);
  };
}

/** Answers a program that asks for the page of a token. */
type AnswerProgram = (request: Request, context: RequestContext, token: string) => Response;

/** What programs get that ask for pages of the dashboard. */
interface ForPrograms {
  /** `/` */
  readonly start: (context: RequestContext) => Response;
  /** `/s/{token}` */
  readonly shared: AnswerProgram;
  /** `/claim/{token}` */
  readonly claim: AnswerProgram;
}

/** What all pages say. */
interface Place {
  /** What the server is called now. */
  readonly nameOf: () => string;
  /** See `basePathOf`. */
  readonly basePath: string;
}

export async function dashboard(
  { start, shared, claim }: ForPrograms,
  { nameOf, basePath }: Place,
): Promise<Route[]> {
  const routes: Route[] = [];
  const get = (path: string, answer: Route["answer"]) => routes.push({ method: "GET", path, answer });
  for (const bundled of await assetsOf(index)) {
    const asset = atBasePath(bundled, basePath);
    if (asset.path.endsWith(".webmanifest")) {
      const manifest = named(asset, [nameOf, putIntoManifest], INSTALL_HEADERS);
      get(asset.path, ({ request }) => manifest(request));
    } else if (asset.path !== "/") get(asset.path, served(asset, FILE_HEADERS));
    else {
      const withName = [nameOf, putIntoPage] as const;
      const page = named(asset, withName, PAGE_HEADERS);
      for (const path of PAGES.split(" ")) get(path, ({ request }) => page(request));
      const chosen = (headers: Readonly<Record<string, string>>) =>
        named(asset, withName, headers, ["accept"]);
      get("/claim/:token", handedOn(chosen(PAGE_HEADERS), claim, PAGE_HEADERS));
      // No search engine should know it.
      const unlisted = { ...PAGE_HEADERS, "x-robots-tag": "noindex" };
      get("/s/:token", handedOn(chosen(unlisted), shared, unlisted));
      get("/", front(chosen(PAGE_HEADERS), start));
      get("/*", lost(page));
    }
  }
  for (const [path, svg] of Object.entries(ICONS)) {
    const read = async () => new TextEncoder().encode(svg);
    get(path, served({ path, type: "image/svg+xml", read }, INSTALL_HEADERS));
  }
  const worker = (path: string, page: typeof index, headers = WORKER_HEADERS) =>
    get(path, served(workerAt(path, page), headers));
  worker("/code-worker.js", workerPages.code);
  worker("/markdown-worker.js", workerPages.markdown);
  worker("/merge-worker.js", workerPages.merge);
  worker("/offline-worker.js", workerPages.offline, OFFLINE_WORKER_HEADERS);
  worker("/pdf-worker.js", workerPages.pdf);
  return routes;
}

/** Paths of the API, where an unknown address is an error for programs, not a page. */
const NO_PAGES = /^\/(v0|auth|oauth|\.well-known)\//;

/** A page for people who mistype an address; programs get the usual error. */
function lost(page: Page): Route["answer"] {
  return ({ request }, context) => {
    // For the log, no route took it.
    context.route = null;
    if (NO_PAGES.test(context.path) || !isNavigation(request)) throw new Unrouted();
    // Whole, whatever the browser has.
    const whole = page(new Request(request.url));
    return whole.then(({ body, headers }) => new Response(body, { status: 404, headers }));
  };
}

/** `/`: the page for people; for programs the start page, which they can read. */
function front(page: Page, startPage: ForPrograms["start"]): Route["answer"] {
  return ({ request }, context) => {
    if (wantsPage(request.headers.get("accept"))) return page(request);
    const response = startPage(context);
    response.headers.set("vary", "accept");
    return response;
  };
}

/** The page of a token: the page for people; for programs what it is, and how to fetch what it shows. */
function handedOn(
  page: Page,
  answerProgram: AnswerProgram,
  headers: Readonly<Record<string, string>>,
): Route["answer"] {
  return ({ request, params }, context) => {
    if (wantsPage(request.headers.get("accept"))) return page(request);
    const response = answerProgram(request, context, params["token"] ?? "");
    // Its links begin with an address that the caller may have forged: nobody else may get it.
    const own = { ...headers, vary: "accept", "cache-control": "no-store" };
    for (const [name, value] of Object.entries(own)) response.headers.set(name, value);
    return response;
  };
}

function served({ read, type }: Asset, more: Record<string, string>): Route["answer"] {
  const file = fixedFile(read, { ...more, "content-type": type });
  return ({ request }) => file(request);
}
