import { wantsJson } from "../content/negotiation.ts";
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

/** What a program is told that asks for a page for people: what its address is, and which requests do the same. */
interface Notice {
  readonly about: string;
  readonly requests: readonly {
    readonly method: "GET" | "POST";
    readonly url: string;
    readonly body?: object;
    readonly about: string;
  }[];
}

/**
 * What programs get for the pages whose addresses are handed around, `/s/{token}` and `/claim/{token}`. It is the same
 * whatever the token is: it tells nobody whether there is such a one, and uses none up.
 */
export function programAnswers(guide: Guide) {
  return {
    /** For the page of the dashboard: the start page in Markdown. */
    start: (context: RequestContext) => guideResponse("text/markdown", guide.startPage(context)),
    shared: answerer((base, token) => sharedNotice(`${base}/v0/shared/${token}`), guide),
    claim: answerer(claimNotice, guide),
  };
}

/** @param noticeOf takes the token percent-encoded */
function answerer(noticeOf: (base: string, token: string) => Notice, guide: Guide) {
  return ({ headers }: Request, context: RequestContext, token: string): Response => {
    const notice = noticeOf(guide.base(context), encodeURIComponent(token));
    return wantsJson(headers.get("accept"))
      ? Response.json(notice)
      : new Response(textOf(notice), { headers: { "content-type": "text/plain; charset=utf-8" } });
  };
}

function sharedNotice(url: string): Notice {
  return {
    about:
      "This link shows a file or folder of a Coffer drive. In a browser it is a page; programs send these requests, which need no key. If they get 401, the link has a password; 404: it is revoked, or what it shows is gone; 410: it has expired.",
    requests: [
      { method: "GET", url, about: "Whether it is a file or a folder, with its name and size." },
      {
        method: "GET",
        url: `${url}/files`,
        about: "What is in the folder; in one of its folders with prefix=.",
      },
      {
        method: "GET",
        url: `${url}/download`,
        about: "The content of the file; of one in the folder with path=.",
      },
      { method: "GET", url: `${url}/archive`, about: "All of it as one ZIP." },
      {
        method: "POST",
        url: `${url}/unlock`,
        body: { password: "..." },
        about: "Gives the password. Send the cookie of the response with the other requests.",
      },
    ],
  };
}

function claimNotice(base: string, token: string): Notice {
  return {
    about:
      "This claim link is for a person: whoever opens it in a browser and signs in keeps the drive that an agent made. If you are an agent, show it to your human.",
    requests: [
      {
        method: "GET",
        url: `${base}/v0/drives/claim/${token}`,
        about: "Which drive it is, and until when it can be claimed. Needs no key, and claims nothing.",
      },
      {
        method: "POST",
        url: `${base}/v0/drives/claim`,
        body: { token },
        about: "Claims the drive for an account. Needs a key of that account.",
      },
    ],
  };
}

function textOf({ about, requests }: Notice): string {
  const lines = requests.flatMap(({ method, url, body, about: does }) => [
    `${method} ${url}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`,
    `    ${does}`,
  ]);
  return `${[about, "", ...lines].join("\n")}\n`;
}
