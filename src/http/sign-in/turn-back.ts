import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import { SignInEnded } from "../../services/accounts/oidc.ts";
import { errorResponse } from "../gate/errors.ts";
import { OWN_BASE } from "./return-path.ts";

/** The query parameters for the dashboard after a failed sign-in; `request` is the id to look for in the log. */
const OUTCOME = "sign_in";
const REQUEST = "request";

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
