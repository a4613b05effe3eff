import { once } from "../domain/once.ts";
import type { AllowedOrigins, Subnet } from "../domain/network/address.ts";
import { addressesBehind, clientAddresses, trustedPeers } from "./connection/client-address.ts";
import { createCors } from "./gate/origins.ts";
import { createGate, type GateOptions } from "./gate/gate.ts";
import { docs } from "./docs/docs.ts";
import type { DescriptionOptions } from "./docs/openapi.ts";
import { health, type HealthOptions } from "./resources/upkeep/health.ts";
import { createRouteTable } from "./gate/route-table.ts";
import { createPipeline, type Handler, type PipelineOptions, refuse } from "./gate/pipeline.ts";
import { socketCuts } from "./connection/socket-cut.ts";
import { contextOf } from "./gate/request-context.ts";
import { metrics, type MetricsOptions } from "./metrics/metrics.ts";
import { RequestMeter } from "./metrics/request-meter.ts";
import { answeredBy, type Route, Unrouted } from "./operation/route.ts";
import type { createRouter } from "./router.ts";

type FromGate = Omit<GateOptions, "isPublic" | "isByLink" | "clock">;
type FromPipeline = Pick<
  PipelineOptions,
  | "auditRefusal"
  | "basePath"
  | "beginAttempt"
  | "challenge"
  | "countRequest"
  | "countRefusal"
  | "holdSnapshot"
  | "log"
  | "strictTransport"
  | "tracer"
>;

type ForMetrics = Omit<MetricsOptions, "isTrustedPeer" | "requests">;

/** Its `routes` are all but `/docs`, `/healthz`, `/readyz` and `/metrics`. */
export interface HandlerOptions
  extends HealthOptions, DescriptionOptions, FromGate, FromPipeline, ForMetrics {
  /** Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted. */
  readonly trustedProxies: readonly Subnet[];
  readonly corsOrigins: AllowedOrigins;
}

/** Makes the handler of all requests: a pipeline around a router. Throws if `basePath` is a path of a route. */
export function createHandler(options: HandlerOptions): Handler {
  const { log, trustedProxies } = options;
  const isTrustedPeer = trustedPeers(trustedProxies);
  const requests = new RequestMeter();
  const watched = metrics({ ...options, isTrustedPeer, requests });
  const routes = [...health(options), watched, ...docs(options), ...options.routes];
  refuseOwnPath(options.basePath, routes);
  const table = createRouteTable(
    routes.map(({ method, path, spec }) => ({
      method,
      path,
      isDescribed: spec !== undefined,
      isPublic: spec?.public === true,
    })),
  );
  const written = writtenRoutes(routes);
  const refused = (error: unknown, request: Request) => {
    const { method, path } = contextOf(request);
    return refuse(error instanceof Unrouted ? table.unrouted(method, path) : error, request, log);
  };
  let router: ReturnType<typeof createRouter> | null = null;
  // Elysia takes milliseconds of a start.
  const loadRouter = once(async () => (router = (await import("./router.ts")).createRouter(routes, refused)));
  const route = (request: Request) => {
    const { method, path } = contextOf(request);
    table.requireMethod(method, path);
    const found = written.get(`${request.method} ${path}`);
    if (found !== undefined) return answeredBy(found, { request, params: {} });
    return router === null ? loadRouter().then((loaded) => loaded(request)) : router(request);
  };

  return createPipeline({
    ...options,
    gate: createGate({ ...options, ...table }),
    cors: createCors(options.corsOrigins),
    addressOf: addressesBehind(trustedProxies),
    clientOf: clientAddresses(trustedProxies),
    isTrustedPeer,
    countAnswer: (found, status, seconds) => requests.count(found, status, seconds),
    route,
    cutSocket: socketCuts(),
  });
}

/** Under such a path `/docs/docs` and `/docs` would be two addresses of one page, and of others nobody could tell. */
function refuseOwnPath(basePath: string, routes: readonly Route[]): void {
  const first = basePath.split("/")[1];
  if (first === undefined || !routes.some(({ path }) => path.split("/")[1] === first)) return;
  throw new Error(
    `The path of COFFER_BASE_URL must not begin with /${first}, which is a path of the server itself: choose another, such as /coffer.`,
  );
}

/**
 * The routes whose paths have no parameters, by method and path: they are found without the router. That has them too,
 * for a path that is sent with a slash at its end.
 */
function writtenRoutes(routes: readonly Route[]): ReadonlyMap<string, Route> {
  const written = routes.filter(({ path }) => !/[:*]/.test(path));
  return new Map(written.map((route) => [`${route.method} ${route.path}`, route]));
}
