import { Elysia } from "elysia";
import { once } from "../../domain/once.ts";
import { contextOf } from "../gate/request-context.ts";
import type { DescriptionOptions } from "./openapi.ts";
import { ASSETS, CONTENT_SECURITY_POLICY, PAGE } from "./swagger-ui.ts";

/** A response that does not change while the process runs. */
interface Fixed {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

interface RouteContext {
  readonly request: Request;
  readonly route: string;
}

/** `/docs`, the Swagger UI, and `/docs/openapi.json`, which it shows. Nothing is loaded from another host. */
export function docs(options: DescriptionOptions) {
  const plugin = new Elysia({ name: "docs" })
    .get(
      "/docs",
      fixed("text/html; charset=utf-8", () => new Blob([PAGE]).bytes()),
    )
    .get(
      "/docs/openapi.json",
      fixed("application/json; charset=utf-8", async () => {
        // Loaded when asked for: what it imports takes longer to load than the rest of the server.
        const { describeApi } = await import("./openapi.ts");
        return new Blob([JSON.stringify(await describeApi(options))]).bytes();
      }),
    );
  for (const { name, type, read } of ASSETS) plugin.get(`/docs/${name}`, fixed(type, read));
  return plugin;
}

/** A handler that loads its content at the first request. Returns 304 to a client that has it. */
function fixed(type: string, read: () => Promise<Uint8Array<ArrayBuffer>>) {
  const loaded = once(() => load(type, read));
  return async ({ request, route }: RouteContext): Promise<Response> => {
    const context = contextOf(request);
    context.route = route;
    // At `/docs/` the page's relative links would be one level too deep.
    if (context.path === "/docs/")
      return new Response(null, { status: 301, headers: { location: "../docs" } });
    const { body, headers } = await loaded();
    const isKnown = request.headers.get("if-none-match") === headers["etag"];
    return new Response(isKnown ? null : body, { status: isKnown ? 304 : 200, headers });
  };
}

async function load(type: string, read: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Fixed> {
  const body = await read();
  return {
    body,
    headers: {
      "content-type": type,
      etag: `"${Bun.hash(body).toString(16)}"`,
      // Cached, but validated each time, so that an upgrade shows at once.
      "cache-control": "no-cache",
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  };
}
