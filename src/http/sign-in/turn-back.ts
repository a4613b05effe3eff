import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import { SignInEnded } from "../../services/accounts/oidc.ts";
import { errorResponse } from "../gate/errors.ts";

/** Characters. Every sign-in in progress keeps one in memory. */
const LONGEST = 2048;

/** A placeholder for our own address while a path is parsed. */
const OWN_BASE = "http://coffer.invalid";

/** The query parameters for the dashboard after a failed sign-in; `request` is the id to look for in the log. */
const OUTCOME = "sign_in";
const REQUEST = "request";

/**
 * The path of this server in `text`, normalised for a `Location`; `fallback` for anything that is not a path, or that
 * a browser might take to another site.
 */
export function returnPath(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > LONGEST) return fallback;
  if (!/^\/(?![/\\])/.test(text) || /[\\\p{Cc}]/u.test(text)) return fallback;
  if (!URL.canParse(text, OWN_BASE)) return fallback;
  const { origin, pathname, search, hash } = new URL(text, OWN_BASE);
  // Removing dot segments may leave two slashes at the start.
  return origin === OWN_BASE && !pathname.startsWith("//") ? pathname + search + hash : fallback;
}

/** Whether a browser shows the response as a page; programs get JSON. */
export function isNavigation({ headers }: Request): boolean {
  return headers.get("sec-fetch-mode") === "navigate" || (headers.get("accept") ?? "").includes("text/html");
}

/**
 * Where to redirect a browser after a sign-in that failed with `error`: to `path`, a path of ours, with the outcome in
 * its query. The error is logged with the request's id.
 */
export function turnBack(error: unknown, path: string, requestId: string, log: Log): string {
  const outcome = error instanceof SignInEnded ? error.outcome : "failed";
  const { status } = errorResponse(error, requestId, log);
  const reason = error instanceof CofferError ? error.message : "an error of ours";
  log.warn("sign-in failed", { request_id: requestId, outcome, status, reason });
  return withParameters(path, (parameters) => {
    parameters.set(OUTCOME, outcome);
    parameters.set(REQUEST, requestId);
  });
}

/** The same path without the outcome of an earlier sign-in. */
export function withoutOutcome(path: string): string {
  const isMarked = new URL(path, OWN_BASE).searchParams.has(OUTCOME);
  if (!isMarked) return path;
  return withParameters(path, (parameters) => {
    parameters.delete(OUTCOME);
    parameters.delete(REQUEST);
  });
}

function withParameters(path: string, change: (parameters: URLSearchParams) => void): string {
  const url = new URL(path, OWN_BASE);
  change(url.searchParams);
  return url.pathname + url.search + url.hash;
}
