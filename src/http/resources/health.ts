import { Elysia } from "elysia";
import type { Log } from "../../log.ts";
import type { Problem } from "../../services/health.ts";
import { contextOf } from "../gate/request-context.ts";

/** What the health routes need. */
export interface HealthOptions {
  /** The current problems. Rejects if the database or the disk does not answer. */
  readonly ready: () => Promise<readonly Problem[]>;
  readonly log: Log;
}

/** `/healthz`: the process runs. `/readyz`: everything works; else 503, with the problems. */
export function health({ ready, log }: HealthOptions) {
  return new Elysia({ name: "health" })
    .get("/healthz", ({ request, route }) => {
      contextOf(request).route = route;
      return Response.json({ status: "ok" });
    })
    .get("/readyz", async ({ request, route }) => {
      const context = contextOf(request);
      context.route = route;
      try {
        const problems = await ready();
        if (problems.length === 0) return Response.json({ status: "ok" });
        return Response.json({ status: "unavailable", problems, request_id: context.id }, { status: 503 });
      } catch (error) {
        log.error("not ready", { request_id: context.id, error });
        return Response.json({ status: "unavailable", request_id: context.id }, { status: 503 });
      }
    });
}
