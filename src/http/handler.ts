import { Elysia, NotFoundError } from "elysia";
import type { AllowedOrigins, Subnet } from "../domain/network/address.ts";
import { clientAddresses, trustedPeers } from "./connection/client-address.ts";
import { createCors } from "./gate/origins.ts";
import { createGate, type GateOptions } from "./gate/gate.ts";
import { docs } from "./docs/docs.ts";
import type { DescriptionOptions } from "./docs/openapi.ts";
import { health, type HealthOptions } from "./resources/upkeep/health.ts";
import { createRouteTable } from "./gate/route-table.ts";
import { createPipeline, type Handler, type PipelineOptions, refuse } from "./gate/pipeline.ts";
import { socketCuts } from "./connection/socket-cut.ts";
import { contextOf } from "./gate/request-context.ts";
import type { Route, Routed } from "./operation/route.ts";

type FromGate = Omit<GateOptions, "isPublic" | "isByLink">;
type FromPipeline = Pick<
  PipelineOptions,
  "beginAttempt" | "challenge" | "countOperation" | "holdSnapshot" | "log"
>;

/** Its `routes` are all but `/docs`, `/healthz` and `/readyz`. */
export interface HandlerOptions extends HealthOptions, DescriptionOptions, FromGate, FromPipeline {
  /** Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted. */
  readonly trustedProxies: readonly Subnet[];
  readonly corsOrigins: AllowedOrigins;
}

/** Makes the handler of all requests: a pipeline around a router. */
export function createHandler(options: HandlerOptions): Handler {
  const { log, trustedProxies } = options;
  const routes = [...health(options), ...docs(options), ...options.routes];
  const table = createRouteTable(
    routes.map(({ method, path, spec }) => ({
      method,
      path,
      isDescribed: spec !== undefined,
      isPublic: spec?.public === true,
    })),
  );
  const router = new Elysia({ handler: { standardHostname: false }, normalize: false })
    // Check the class, not the code: Elysia takes any error's `code` for its own, a CofferError's too.
    .onError(({ error, request }) =>
      refuse(error instanceof NotFoundError ? unrouted(request) : error, request, log),
    );
  for (const route of routes) router.route(route.method, route.path, handlerOf(route));
  const unrouted = (request: Request) => {
    const { method, path } = contextOf(request);
    return table.unrouted(method, path);
  };
  const route = (request: Request) => {
    const { method, path } = contextOf(request);
    table.requireMethod(method, path);
    return router.fetch(request);
  };

  return createPipeline({
    ...options,
    gate: createGate({ ...options, ...table }),
    cors: createCors(options.corsOrigins),
    clientOf: clientAddresses(trustedProxies),
    isTrustedPeer: trustedPeers(trustedProxies),
    route,
    cutSocket: socketCuts(),
  });
}

function handlerOf({ path, answer }: Route) {
  const handler = (routed: Routed) => {
    const context = contextOf(routed.request);
    context.route = path;
    return answer(routed, context);
  };
  // Bound, because Elysia reads a handler's source to guess whether it awaits or needs a parsed body, and if so delays
  // every response by a turn. A bound function has no source: nothing is parsed, and promises are passed on.
  return handler.bind(null);
}
