import { CofferError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { fixedFile } from "../content/fixed-file.ts";
import { wantsPage } from "../content/negotiation.ts";
import type { Route } from "../operation/route.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

/** A page has a style sheet and a picture of ours, and no script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  // Cached, but validated each time, so that an upgrade shows at once.
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
};

type File = (request: Request) => Promise<Response>;

interface Page {
  readonly html: File;
  readonly markdown: File;
}

/**
 * `/manual` and its pages, `/manual/{page}`: HTML for browsers, and for programs the Markdown that they are made of,
 * which is also at `/manual.md` and `/manual/{page}.md`. What they show and link to is beside them. Whoever reaches the
 * server may read it: it is the same on every server.
 */
export function manual(): Route[] {
  // At its first use: a start need not wait for it.
  const loaded = once(load);
  const answers: Readonly<Record<string, Route["answer"]>> = {
    "/manual": async ({ request }, { path }) => {
      const { pages } = await loaded();
      // At `/manual/` the page's relative links would be one level too deep.
      if (path !== "/manual") return movedTo("../manual");
      return pageOf(pages.get(""), request);
    },
    "/manual.md": async ({ request }) => {
      const { pages } = await loaded();
      return (pages.get("") ?? noSuchPage()).markdown(request);
    },
    "/manual/:page": async ({ request, params }, { path }) => {
      const { pages, files } = await loaded();
      const name = params["page"] ?? "";
      if (path.endsWith("/")) return movedTo(`../${encodeURIComponent(name)}`);
      const file = files.get(name);
      return file === undefined ? pageOf(pages.get(name), request) : file(request);
    },
  };
  return Object.entries(answers).map(([path, answer]) => ({ method: "GET", path, answer }));
}

/** All pages and files by their names. The name of the first page is empty. */
async function load() {
  const { MANUAL } = await import("./pages.ts");
  const { pages, files } = MANUAL;
  const own = files.map(({ name, type, text }) => [name, fileOf(text, type)] as const);
  const sources = pages
    .filter(({ name }) => name !== "")
    .map(({ name, markdown }) => [`${name}.md`, fileOf(markdown, MARKDOWN)] as const);
  return {
    pages: new Map(pages.map(({ name, html, markdown }) => [name, chosen(html, markdown)])),
    files: new Map([...own, ...sources]),
  };
}

/** A page at an address that has two forms of it. */
function chosen(html: string, markdown: string): Page {
  return { html: fileOf(html, HTML, ["accept"]), markdown: fileOf(markdown, MARKDOWN, ["accept"]) };
}

function fileOf(text: string, type: string, vary: readonly string[] = []): File {
  return fixedFile(() => new TextEncoder().encode(text), { ...HEADERS, "content-type": type }, vary);
}

function pageOf(page: Page | undefined, request: Request): Promise<Response> {
  const { html, markdown } = page ?? noSuchPage();
  return wantsPage(request.headers.get("accept")) ? html(request) : markdown(request);
}

function noSuchPage(): never {
  throw new CofferError("NOT_FOUND", "The manual has no such page. `/manual` lists all.");
}

function movedTo(location: string): Response {
  return new Response(null, { status: 301, headers: { location } });
}
