import type { RefusedAttempts } from "../../services/audit/refused-attempts.ts";
import type { Refusal } from "../../services/upkeep/refusals.ts";
import { bearerToken } from "./gate.ts";
import type { RequestContext } from "./request-context.ts";

/** Makes what tells the audit log of requests that were refused: of keys that do not work any more, and of administrators' routes. */
export function auditedRefusals(attempts: RefusedAttempts) {
  return (refusal: Refusal, request: Request, context: RequestContext): void => {
    const { caller, route } = context;
    if (refusal === "unauthorized" && caller === null) {
      const key = bearerToken(request.headers.get("authorization"));
      if (key !== null) attempts.key(key, context.origin);
    } else if (refusal === "forbidden" && caller !== null && route?.spec?.administrators === true) {
      attempts.administration(caller, `${route.method} ${route.path}`, context.origin);
    }
  };
}
