import { CofferError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { fixedFile } from "../content/fixed-file.ts";
import type { Route } from "../operation/route.ts";
import { operationsIn } from "./describe.ts";
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

/**
 * `/docs`, the Swagger UI, and `/docs/openapi.json`, which it shows and which is also at `/openapi.json`.
 * `/docs/api.md` and `/docs/api/{operation}.md` are the same for models. Nothing is loaded from another host.
 */
export function docs(options: DescriptionOptions): Route[] {
  const description = fixed("application/json; charset=utf-8", async () => {
    // Loaded when asked for: what it imports takes longer to load than the rest of the server.
    const { describeApi } = await import("./openapi.ts");
    return new Blob([JSON.stringify(await describeApi(options))]).bytes();
  });
  const operations = once(() => operationsIn(options.routes));
  const short = fixed(MARKDOWN, () => new Blob([shortForm(operations())]).bytes());
  const details: Route["answer"] = ({ params }) => {
    const id = params["file"]?.replace(/\.md$/, "");
    const found = operations().find(({ detail }) => detail.operationId === id);
    if (found === undefined) throw new CofferError("NOT_FOUND", NO_OPERATION);
    return new Response(detailsOf(found), { headers: { ...HEADERS, "content-type": MARKDOWN } });
  };
  const answers: Readonly<Record<string, Route["answer"]>> = {
    "/docs": fixed("text/html; charset=utf-8", () => new Blob([PAGE]).bytes()),
    "/docs/openapi.json": description,
    "/openapi.json": description,
    "/docs/api.md": short,
    "/docs/api/:file": details,
    ...Object.fromEntries(ASSETS.map(({ name, type, read }) => [`/docs/${name}`, fixed(type, read)])),
  };
  return Object.entries(answers).map(([path, answer]) => ({ method: "GET", path, answer }));
}

function fixed(type: string, read: () => Promise<Uint8Array<ArrayBuffer>>): Route["answer"] {
  const file = fixedFile(read, { ...HEADERS, "content-type": type });
  // At `/docs/` the page's relative links would be one level too deep.
  return ({ request }, { path }) =>
    path === "/docs/" ? new Response(null, { status: 301, headers: { location: "../docs" } }) : file(request);
}
