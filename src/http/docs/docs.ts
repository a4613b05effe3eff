import { Elysia } from "elysia";
import { CofferError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { fixedFile } from "../content/fixed-file.ts";
import { contextOf } from "../gate/request-context.ts";
import { operationsIn } from "./operations.ts";
import type { DescriptionOptions } from "./openapi.ts";
import { detailsOf, shortForm } from "./short-form.ts";
import { ASSETS, CONTENT_SECURITY_POLICY, PAGE } from "./swagger-ui.ts";

const MARKDOWN = "text/markdown; charset=utf-8";
const NO_OPERATION =
  "There is no operation with this id. `/docs/api.md` lists all, each with its id in parentheses.";

const HEADERS = {
  // Cached, but validated each time, so that an upgrade shows at once.
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
};

interface RouteContext {
  readonly request: Request;
  readonly route: string;
}

/**
 * `/docs`, the Swagger UI, and `/docs/openapi.json`, which it shows and which is also at `/openapi.json`.
 * `/docs/api.md` and `/docs/api/{operation}.md` are the same for models. Nothing is loaded from another host.
 */
export function docs(options: DescriptionOptions) {
  const description = fixed("application/json; charset=utf-8", async () => {
    // Loaded when asked for: what it imports takes longer to load than the rest of the server.
    const { describeApi } = await import("./openapi.ts");
    return new Blob([JSON.stringify(await describeApi(options))]).bytes();
  });
  const operations = once(() => operationsIn(options.api));
  const plugin = new Elysia({ name: "docs" })
    .get(
      "/docs",
      fixed("text/html; charset=utf-8", () => new Blob([PAGE]).bytes()),
    )
    .get("/docs/openapi.json", description)
    .get("/openapi.json", description)
    .get(
      "/docs/api.md",
      fixed(MARKDOWN, () => new Blob([shortForm(operations())]).bytes()),
    )
    .get("/docs/api/:file", ({ request, route, params }) => {
      contextOf(request).route = route;
      const id = params.file.replace(/\.md$/, "");
      const found = operations().find(({ detail }) => detail.operationId === id);
      if (found === undefined) throw new CofferError("NOT_FOUND", NO_OPERATION);
      return new Response(detailsOf(found), { headers: { ...HEADERS, "content-type": MARKDOWN } });
    });
  for (const { name, type, read } of ASSETS) plugin.get(`/docs/${name}`, fixed(type, read));
  return plugin;
}

function fixed(type: string, read: () => Promise<Uint8Array<ArrayBuffer>>) {
  const file = fixedFile(read, { ...HEADERS, "content-type": type });
  return ({ request, route }: RouteContext): Response | Promise<Response> => {
    const context = contextOf(request);
    context.route = route;
    // At `/docs/` the page's relative links would be one level too deep.
    if (context.path === "/docs/")
      return new Response(null, { status: 301, headers: { location: "../docs" } });
    return file(request);
  };
}
