import { Elysia } from "elysia";
import type { Log } from "../log.ts";
import { contextOf } from "./request-context.ts";

/** What health is told by. */
export interface HealthOptions {
  /** Resolves when the database and the disk answer; rejects with what is wrong. */
  readonly ready: () => Promise<void>;
  readonly log: Log;
}

/** `/healthz`: the process answers. `/readyz`: what it depends on answers too. */
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
        await ready();
        return Response.json({ status: "ok" });
      } catch (error) {
        log.error("not ready", { request_id: context.id, error });
        return Response.json({ status: "unavailable", request_id: context.id }, { status: 503 });
      }
    });
}
