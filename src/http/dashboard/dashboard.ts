import { Elysia, NotFoundError } from "elysia";
import { once } from "../../domain/once.ts";
import { fixedFile } from "../content/fixed-file.ts";
import { wantsPage } from "../content/negotiation.ts";
import { contextOf, type RequestContext } from "../gate/request-context.ts";
import { isNavigation } from "../sign-in/turn-back.ts";
import { type Asset, dashboardAssets, dashboardWorkers } from "./assets.ts";

/** The addresses of the dashboard, beside `/`. Its script decides which page to show. */
const PAGES = [
  "/drives",
  "/drives/*",
  "/search",
  "/keys",
  "/trash",
  "/activity",
  "/snapshots",
  "/members",
  "/links",
  "/account",
  "/users",
  "/auth/setup",
  "/oauth/consent",
] as const;

/** The pages whose addresses are handed around. */
const CLAIM_PAGE = "/claim/:token";
/** Of a link that shows something. */
const SHARED_PAGE = "/s/:token";

/**
 * What the dashboard may do: run its own script, use its own style, send requests to its own server. Uploaded
 * contents are shown from memory, and in no frame. Audio and video stream from the server. No text becomes markup or a
 * script (Trusted Types); the policy in `web/lib/browser/own-worker.ts` allows the addresses of its own workers.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
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
// Their names contain a hash of their contents.
const FILE_HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
};

interface RouteContext {
  readonly request: Request;
}

/** Answers a program that asks for the page of a token. */
type AnswerProgram = (request: Request, context: RequestContext, token: string) => Response;

/** What programs get that ask for pages of the dashboard. */
export interface ForPrograms {
  /** `/` */
  readonly start: (context: RequestContext) => Response;
  /** `/s/{token}` */
  readonly shared: AnswerProgram;
  /** `/claim/{token}` */
  readonly claim: AnswerProgram;
}

export async function dashboard({ start, shared, claim }: ForPrograms) {
  const plugin = new Elysia({ name: "dashboard" });
  for (const asset of await dashboardAssets()) {
    if (asset.path !== "/") plugin.get(asset.path, served(asset, asset.path, FILE_HEADERS));
    else {
      for (const path of PAGES) plugin.get(path, served(asset, path, PAGE_HEADERS));
      plugin.get(CLAIM_PAGE, handedOn(asset, CLAIM_PAGE, claim, PAGE_HEADERS));
      // No search engine should know it.
      plugin.get(
        SHARED_PAGE,
        handedOn(asset, SHARED_PAGE, shared, { ...PAGE_HEADERS, "x-robots-tag": "noindex" }),
      );
      plugin.get("/", front(asset, start));
      plugin.get("/*", lost(asset));
    }
  }
  for (const worker of await dashboardWorkers()) {
    plugin.get(worker.path, served(worker, worker.path, WORKER_HEADERS));
  }
  return plugin;
}

/** Paths of the API, where an unknown address is an error for programs, not a page. */
const NO_PAGES = /^\/(v0|auth|oauth|\.well-known)\//;

/** A page for people who mistype an address; programs get the usual error. */
function lost({ read, type }: Asset) {
  const headers = { ...PAGE_HEADERS, "content-type": type };
  const content = once(read);
  const answer = ({ request }: RouteContext) => {
    const { path } = contextOf(request);
    if (NO_PAGES.test(path) || !isNavigation(request)) throw new NotFoundError();
    return content().then((bytes) => new Response(bytes, { status: 404, headers }));
  };
  return answer.bind(null);
}

/** `/`: the page for people; for programs the start page, which they can read. */
function front({ read, type }: Asset, startPage: ForPrograms["start"]) {
  const page = fixedFile(read, { ...PAGE_HEADERS, "content-type": type }, ["accept"]);
  const answer = ({ request }: RouteContext) => {
    const context = contextOf(request);
    context.route = "/";
    if (wantsPage(request.headers.get("accept"))) return page(request);
    const response = startPage(context);
    response.headers.set("vary", "accept");
    return response;
  };
  return answer.bind(null);
}

/** The page of a token: the page for people; for programs what it is, and how to fetch what it shows. */
function handedOn(
  { read, type }: Asset,
  path: string,
  answerProgram: AnswerProgram,
  headers: Readonly<Record<string, string>>,
) {
  const page = fixedFile(read, { ...headers, "content-type": type }, ["accept"]);
  const answer = ({ request, params }: RouteContext & { readonly params: { readonly token: string } }) => {
    const context = contextOf(request);
    context.route = path;
    if (wantsPage(request.headers.get("accept"))) return page(request);
    const response = answerProgram(request, context, params.token);
    // Its links begin with an address that the caller may have forged: nobody else may get it.
    const own = { ...headers, vary: "accept", "cache-control": "no-store" };
    for (const [name, value] of Object.entries(own)) response.headers.set(name, value);
    return response;
  };
  return answer.bind(null);
}

function served({ read, type }: Asset, path: string, more: Record<string, string>) {
  const file = fixedFile(read, { ...more, "content-type": type });
  const answer = ({ request }: RouteContext) => {
    contextOf(request).route = path;
    return file(request);
  };
  // Bound for the reason given in `operation`.
  return answer.bind(null);
}
