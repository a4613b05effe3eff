import { Type } from "@sinclair/typebox";
import { basePathOf, withoutBasePath } from "../../domain/network/base-path.ts";
import type { Log } from "../../process/log.ts";
import { FLOW_LIFETIME_MS, type Oidc } from "../../services/accounts/oidc.ts";
import { SignInEnded } from "../../services/accounts/oidc-flow.ts";
import type { Parts } from "../resources/parts.ts";
import { browserOf, NO_STORE, SETS_SESSION, UNCACHED } from "./auth.ts";
import { operation, tagged } from "../operation/route.ts";
import { RateLimiter } from "../gate/gate.ts";
import { contextOf } from "../gate/request-context.ts";
import { tokenIn } from "../gate/session-cookie.ts";
import { isNavigation } from "../gate/origins.ts";
import { text } from "../operation/schema.ts";
import { CofferError } from "../../domain/errors.ts";
import { errorResponse } from "../gate/errors.ts";

interface OidcOptions extends Pick<Parts, "signIn" | "refusedAttempts" | "cookies" | "clock" | "log"> {
  readonly oidc: Oidc;
  /** Without a trailing slash; known once the server listens. */
  readonly baseUrl: () => string;
}

const CALLBACK = "/auth/oidc/callback";

const REDIRECT_HEADERS = {
  Location: "The next address.",
  "Referrer-Policy": "`no-referrer`",
  ...UNCACHED,
};

const ON_ERROR =
  "After an error, a browser (`Accept: text/html` or `Sec-Fetch-Mode: navigate`) is redirected as well: to `return_to`, or to `/`, with `sign_in` (`cancelled`, `expired` or `failed`) and `request`, the request id, in the query.";

/** How many sign-ins one client may begin in a window, so that it cannot push others out of memory. */
const STARTS = 60;
const TOO_MANY = "Too many sign-ins from one address. Try again in {seconds} s.";
const WINDOW_SECONDS = FLOW_LIFETIME_MS / 1000;

/** How many sign-ins may be in progress in one browser: their cookies are part of each of its requests. */
const FLOWS_PER_BROWSER = 8;

export function oidc({ oidc: provider, signIn, refusedAttempts, cookies, clock, log, baseUrl }: OidcOptions) {
  const starts = new RateLimiter({ clock, windowSeconds: WINDOW_SECONDS });
  const base = () => basePathOf(baseUrl());
  const home = () => `${base()}/`;
  /** A browser is redirected to a page of ours that explains the error; a program gets it as JSON. */
  const refuse = (error: unknown, request: Request, returnTo: string, ...setCookies: string[]) => {
    if (!isNavigation(request)) throw error;
    return redirect(turnBack(error, returnTo, contextOf(request).id, log), ...setCookies);
  };
  return tagged("Sign-in", [
    operation("GET", "/auth/oidc/start", {
      operationId: "startOidc",
      summary: "Sign in at the provider",
      description: `For browsers: redirects to the provider, which redirects back to \`${CALLBACK}\`. At most ${STARTS} times in ${WINDOW_SECONDS / 60} minutes from one client address. A browser may have ${FLOWS_PER_BROWSER} sign-ins in progress, each in a tab of its own; another one ends the oldest.`,
      query: Type.Object({
        return_to: Type.Optional(
          text("The path of this server to open after the sign-in; `/` for anything else.", "/docs"),
        ),
      }),
      answers: {
        status: 303,
        description: `Redirects to the provider. ${ON_ERROR}`,
        headers: {
          ...REDIRECT_HEADERS,
          "Set-Cookie": `\`${flowCookie("{state}")}\` binds the sign-in to this browser, for ${WINDOW_SECONDS / 60} minutes.`,
        },
      },
      errors: ["RATE_LIMITED"],
      handle: async ({ request, query, context }) => {
        const returnTo = withoutOutcome(returnPath(query.return_to, base()));
        try {
          starts.require(context.client, STARTS, TOO_MANY);
          const { url, state, ticket } = await provider.begin(returnTo, baseUrl() + CALLBACK, context.id);
          const surplus = flowCookiesIn(request).slice(0, 1 - FLOWS_PER_BROWSER);
          return redirect(
            url.href,
            cookies.set(flowCookie(state), ticket, WINDOW_SECONDS),
            ...surplus.map((name) => cookies.clear(name)),
          );
        } catch (error) {
          return refuse(error, request, returnTo);
        }
      },
    }),
    operation("GET", CALLBACK, {
      operationId: "finishOidc",
      summary: "Complete the sign-in at the provider",
      description:
        "The provider redirects the browser here, with its own parameters (`code`, `state` and others, or `error`). They work once, and only in the browser that started the sign-in. At the first sign-in an account is created: on the plan `free` or, if the server's `COFFER_ADMINS` lists the user's subject, an administrator on the plan `team`.",
      audited: true,
      answers: {
        status: 303,
        description: `Signed in. Redirects to \`return_to\`. ${ON_ERROR}`,
        headers: {
          ...REDIRECT_HEADERS,
          "Set-Cookie": `${SETS_SESSION["Set-Cookie"]} Deletes \`${flowCookie("{state}")}\`.`,
        },
      },
      errors: ["VALIDATION_ERROR", "UNAUTHORIZED", "FORBIDDEN", "STORAGE_FULL"],
      handle: async ({ request, context }) => {
        let returnTo = home();
        const name = flowCookie(new URLSearchParams(context.query).get("state") ?? "");
        const used = flowCookiesIn(request).includes(name) ? [cookies.clear(name)] : [];
        try {
          const flow = provider.take(tokenIn(request, name));
          returnTo = flow.returnTo;
          // Based on the configured address, not on the request's.
          const callback = new URL(`${baseUrl()}${CALLBACK}?${context.query}`);
          const identity = await provider.finish(flow, callback, context.id);
          const { token } = await signIn.withIdentity(identity, browserOf(request, context));
          return redirect(returnTo, cookies.session(token), ...used);
        } catch (error) {
          if (isRefusal(error)) refusedAttempts.signIn(null, "provider", context.origin);
          return refuse(error, request, returnTo, ...used);
        }
      },
    }),
  ]);
}

/** Whether somebody was turned away, and has not just given up or been late. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof CofferError) || error instanceof SignInEnded) return false;
  return error.code === "UNAUTHORIZED" || error.code === "FORBIDDEN";
}

/** 303: the browser continues with a GET, whatever the method was. */
function redirect(location: string, ...setCookies: string[]): Response {
  const headers = new Headers({ ...NO_STORE, location, "referrer-policy": "no-referrer" });
  for (const cookie of setCookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** The cookie of the sign-in with this state. Each has its own, so that those in other tabs do not end it. */
function flowCookie(state: string): string {
  return `coffer_sign_in_${state}`;
}

/** The names of the cookies of a browser's sign-ins, oldest first: the order of RFC 6265, section 5.4. */
function flowCookiesIn({ headers }: Request): string[] {
  const names = new Bun.CookieMap(headers.get("cookie") ?? "").keys();
  return [...names].filter((name) => /^coffer_sign_in_[\w-]{43}$/.test(name));
}

/** Characters. Every sign-in in progress keeps one in memory. */
const LONGEST = 2048;

/** A placeholder for our own address while a path is parsed. */
const OWN_BASE = "http://coffer.invalid";

/**
 * The path of this server in `sent`, normalised, with the base path, whether it was sent with it or not. The start page
 * for any other, or what a browser takes to another site.
 */
function returnPath(sent: string | undefined, basePath: string): string {
  const fallback = `${basePath}/`;
  if (sent === undefined || sent.length > LONGEST) return fallback;
  if (!/^\/(?![/\\])/.test(sent) || /[\\\p{Cc}]/u.test(sent)) return fallback;
  if (!URL.canParse(sent, OWN_BASE)) return fallback;
  const url = new URL(sent, OWN_BASE);
  // Removing dot segments may leave two slashes at the start.
  if (url.origin !== OWN_BASE || url.pathname.startsWith("//")) return fallback;
  return basePath + withoutBasePath(url.pathname, basePath) + url.search + url.hash;
}

/** Where to redirect a browser after a failed sign-in: to our `path`, with the outcome in its query. Logs the error. */
function turnBack(error: unknown, path: string, requestId: string, log: Log): string {
  const outcome = error instanceof SignInEnded ? error.outcome : "failed";
  const { status } = errorResponse(error, requestId, log);
  const reason = error instanceof CofferError ? error.message : "an error of ours";
  log.warn("sign-in failed", { request_id: requestId, outcome, status, reason });
  const url = new URL(path, OWN_BASE);
  url.searchParams.set("sign_in", outcome);
  url.searchParams.set("request", requestId);
  return pathOf(url);
}

/** The same path without the outcome of an earlier sign-in. */
function withoutOutcome(path: string): string {
  const url = new URL(path, OWN_BASE);
  if (!url.searchParams.has("sign_in")) return path;
  url.searchParams.delete("sign_in");
  url.searchParams.delete("request");
  return pathOf(url);
}

function pathOf({ pathname, search, hash }: URL): string {
  return pathname + search + hash;
}
