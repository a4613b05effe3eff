import type { RequestContext } from "../gate/request-context.ts";
import type { Route } from "../operation/route.ts";
import type { Guide } from "./guide.ts";

/** The pages that tell agents how to use this server: `/llms.txt` and `/skill.md`. */
export function guidePages(guide: Guide): Route[] {
  return [
    {
      method: "GET",
      path: "/llms.txt",
      answer: (_routed, context) => guideResponse("text/plain", guide.startPage(context)),
    },
    {
      method: "GET",
      path: "/skill.md",
      answer: (_routed, context) => guideResponse("text/markdown", guide.skill(context)),
    },
  ];
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
