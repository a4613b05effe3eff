import { Elysia } from "elysia";
import { contextOf, type RequestContext } from "../gate/request-context.ts";
import type { Guide } from "./guide.ts";

interface RouteContext {
  readonly request: Request;
  readonly route: string;
}

/** The pages that tell agents how to use this server: `/llms.txt` and `/skill.md`. */
export function guidePages(guide: Guide) {
  return new Elysia({ name: "guide" })
    .get(
      "/llms.txt",
      page("text/plain", (context) => guide.startPage(context)),
    )
    .get(
      "/skill.md",
      page("text/markdown", (context) => guide.skill(context)),
    );
}

function page(type: string, write: (context: RequestContext) => string) {
  return ({ request, route }: RouteContext): Response => {
    const context = contextOf(request);
    context.route = route;
    return guideResponse(type, write(context));
  };
}

/** A text of the guide. Its links begin with an address that the caller may have forged: nobody else may get it. */
function guideResponse(type: string, text: string): Response {
  return new Response(text, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "no-store",
    },
  });
}

/** The start page in Markdown, for the programs that ask for the page of the dashboard. */
export function startPage(guide: Guide): (context: RequestContext) => Response {
  return (context) => guideResponse("text/markdown", guide.startPage(context));
}
