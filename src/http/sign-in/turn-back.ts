import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../log.ts";
import { SignInEnded } from "../../services/oidc.ts";
import { errorResponse } from "../gate/errors.ts";
import { OWN_BASE } from "./return-path.ts";

/** What the dashboard is told of a sign-in that came to nothing; `request` is the id to look for in the log. */
const OUTCOME = "sign_in";
const REQUEST = "request";

/** Whether the answer is shown to a person as a page: a program is better served with JSON. */
export function isNavigation({ headers }: Request): boolean {
  return headers.get("sec-fetch-mode") === "navigate" || (headers.get("accept") ?? "").includes("text/html");
}

/**
 * Where a browser goes on after a sign-in that failed with `error`, which is logged under the request's id:
 * to `path`, one of ours, which is told in a word of our own what became of it.
 */
export function turnBack(error: unknown, path: string, requestId: string, log: Log): string {
  const outcome = error instanceof SignInEnded ? error.outcome : "failed";
  const { status } = errorResponse(error, requestId, log);
  const reason = error instanceof CofferError ? error.message : "an error of ours";
  log.warn("sign-in turned back", { request_id: requestId, outcome, status, reason });
  return withParameters(path, (parameters) => {
    parameters.set(OUTCOME, outcome);
    parameters.set(REQUEST, requestId);
  });
}

/** The same path without what an earlier sign-in, that came to nothing, has left in it. */
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
