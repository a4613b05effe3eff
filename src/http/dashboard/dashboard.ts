import { Elysia, NotFoundError } from "elysia";
import { contextOf } from "../gate/request-context.ts";
import { isNavigation } from "../sign-in/turn-back.ts";
import { type Asset, dashboardAssets } from "./assets.ts";
import { acceptsGzip, gzipped } from "./gzip.ts";

/** Every address that shows the dashboard; which page it is, the script in it decides. */
const PAGES = [
  "/",
  "/drives",
  "/drives/*",
  "/claim/:token",
  "/search",
  "/keys",
  "/account",
  "/users",
  "/auth/setup",
] as const;

/**
 * What the dashboard may do: run its own script, show its own style, ask its own server. Contents that
 * were uploaded are shown from memory, as images or in a frame that only the browser's viewer of PDFs
 * fills and that inherits this policy; sound and films are played from the server as they come.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "frame-src blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};
// Their names are made of their contents.
const FILE_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

interface RouteContext {
  readonly request: Request;
}

/** Serves the dashboard, from the executable itself. */
export async function dashboard() {
  const plugin = new Elysia({ name: "dashboard" });
  for (const asset of await dashboardAssets()) {
    if (asset.path !== "/") plugin.get(asset.path, served(asset, asset.path, FILE_HEADERS));
    else {
      for (const path of PAGES) plugin.get(path, served(asset, path, PAGE_HEADERS));
      plugin.get("/*", lost(asset));
    }
  }
  return plugin;
}

/** Where answers are for programs, and a wrong method is not a wrong address. */
const NO_PAGES = /^\/(v0|auth)\//;

/** People who mistype an address see a page that leads on; programs are told as everywhere. */
function lost({ content, type }: Asset) {
  const headers = { ...PAGE_HEADERS, "content-type": type, "x-content-type-options": "nosniff" };
  const answer = ({ request }: RouteContext) => {
    const { path } = contextOf(request);
    if (NO_PAGES.test(path) || !isNavigation(request)) throw new NotFoundError();
    return new Response(content, { status: 404, headers });
  };
  return answer.bind(null);
}

function served({ content, type }: Asset, path: string, more: Record<string, string>) {
  const packed = gzipped(content);
  // Weak, because it names the content in both of its encodings.
  const etag = `W/"${Bun.SHA256.hash(content, "hex").slice(0, 32)}"`;
  const headers = {
    etag,
    "content-type": type,
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
    ...more,
  };
  const packedHeaders = { ...headers, "content-encoding": "gzip" };
  const answer = ({ request }: RouteContext) => {
    contextOf(request).route = path;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
    return packed !== null && acceptsGzip(request.headers.get("accept-encoding"))
      ? new Response(packed, { headers: packedHeaders })
      : new Response(content, { headers });
  };
  // Bound for the reason that `operation` gives.
  return answer.bind(null);
}
