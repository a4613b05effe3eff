import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { FLOW_LIFETIME_MS } from "../../services/oidc-flows.ts";
import type { Oidc } from "../../services/oidc.ts";
import type { SignIn } from "../../services/sign-in.ts";
import { browserOf, NO_STORE, SETS_SESSION, UNCACHED } from "./auth.ts";
import { rateLimited } from "../gate/errors.ts";
import { operation } from "../operation/operation.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import { contextOf } from "../gate/request-context.ts";
import { returnPath } from "./return-path.ts";
import { type Cookies, tokenIn } from "../gate/session-cookie.ts";
import { isNavigation, turnBack, withoutOutcome } from "./turn-back.ts";

/** What sign-in at a provider needs. */
export interface OidcOptions {
  readonly oidc: Oidc;
  readonly signIn: SignIn;
  readonly cookies: Cookies;
  readonly clock: Clock;
  readonly log: Log;
  /** Without a trailing slash; known once the server listens. */
  readonly baseUrl: () => string;
}

const CALLBACK = "/auth/oidc/callback";
const FLOW_COOKIE = "coffer_sign_in";

/** How the API description explains the headers of a redirect. */
const REDIRECT_HEADERS = {
  Location: "Where to go on.",
  "Referrer-Policy": "`no-referrer`",
  ...UNCACHED,
};

const TURNED_BACK =
  "A browser (`Accept: text/html` or `Sec-Fetch-Mode: navigate`) gets no refusal: it is sent to where the sign-in was to end, or to `/`, with `sign_in` (`cancelled`, `expired` or `failed`) and `request`, the request id, in the query.";

/** How many sign-ins one client may begin in a window, so that it cannot push others out of memory. */
const STARTS = 60;
const WINDOW_SECONDS = FLOW_LIFETIME_MS / 1000;

/** Sign-in at the provider: the redirect to it, and the callback. */
export function oidc({ oidc: provider, signIn, cookies, clock, log, baseUrl }: OidcOptions) {
  const starts = new RateLimiter({ clock, windowSeconds: WINDOW_SECONDS });
  const home = () => `${new URL(baseUrl()).pathname.replace(/\/$/, "")}/`;
  /** A browser is redirected to a page of ours that explains the error; a program gets it as JSON. */
  const refuse = (error: unknown, request: Request, returnTo: string) => {
    if (!isNavigation(request)) throw error;
    return redirect(turnBack(error, returnTo, contextOf(request).id, log), cookies.clear(FLOW_COOKIE));
  };
  return new Elysia({ name: "oidc" })
    .get(
      ...operation(
        "/auth/oidc/start",
        {
          operationId: "startOidc",
          tag: "Sign-in",
          summary: "Go to the provider to sign in",
          description: `For browsers: it redirects, and back to \`${CALLBACK}\`. One client address may begin ${STARTS} times in ${WINDOW_SECONDS / 60} minutes.`,
          query: Type.Object({
            return_to: Type.Optional(
              Type.String({
                description: "Where the sign-in is to end: a path of this server; `/` for anything else.",
                examples: ["/docs"],
              }),
            ),
          }),
          answers: [
            {
              status: 303,
              description: `To the provider. ${TURNED_BACK}`,
              headers: {
                ...REDIRECT_HEADERS,
                "Set-Cookie": `Ties the sign-in to the browser: \`${FLOW_COOKIE}\`, for ${WINDOW_SECONDS / 60} minutes.`,
              },
            },
          ],
          errors: ["RATE_LIMITED"],
        },
        async ({ request, query, context }) => {
          const returnTo = withoutOutcome(returnPath(query.return_to, home()));
          try {
            const { allowed, resetSeconds } = starts.take(context.client, STARTS);
            if (!allowed) throw rateLimited("Too many sign-ins from one address.", resetSeconds);
            const { url, ticket } = await provider.begin(returnTo, baseUrl() + CALLBACK, context.id);
            return redirect(url.href, cookies.set(FLOW_COOKIE, ticket, WINDOW_SECONDS));
          } catch (error) {
            return refuse(error, request, returnTo);
          }
        },
      ),
    )
    .get(
      ...operation(
        CALLBACK,
        {
          operationId: "finishOidc",
          tag: "Sign-in",
          summary: "Come back from the provider",
          description:
            "Where the provider sends the browser, with parameters of its own (`code`, `state` and others, or `error`), which only the browser that began the sign-in can bring, and once. Whoever the provider vouches for has an account here from then on, an ordinary one on the plan `free` unless the server's `COFFER_ADMINS` lists their subject.",
          answers: [
            {
              status: 303,
              description: `Signed in; to where the sign-in was to end. ${TURNED_BACK}`,
              headers: {
                ...REDIRECT_HEADERS,
                "Set-Cookie": `${SETS_SESSION["Set-Cookie"]} Takes \`${FLOW_COOKIE}\` back.`,
              },
            },
          ],
          errors: ["VALIDATION_ERROR", "UNAUTHORIZED", "FORBIDDEN", "STORAGE_FULL"],
        },
        async ({ request, context }) => {
          let returnTo = home();
          try {
            const flow = provider.take(tokenIn(request, FLOW_COOKIE));
            returnTo = flow.returnTo;
            // Based on the configured address, not on the request's.
            const callback = new URL(`${baseUrl()}${CALLBACK}?${context.query}`);
            const identity = await provider.finish(flow, callback, context.id);
            const { token } = await signIn.withIdentity(identity, browserOf(request));
            return redirect(returnTo, cookies.session(token), cookies.clear(FLOW_COOKIE));
          } catch (error) {
            return refuse(error, request, returnTo);
          }
        },
      ),
    );
}

/** 303: the browser continues with a GET, whatever the method was. */
function redirect(location: string, ...setCookies: string[]): Response {
  const headers = new Headers({ ...NO_STORE, location, "referrer-policy": "no-referrer" });
  for (const cookie of setCookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
