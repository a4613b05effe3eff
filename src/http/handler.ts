import { Elysia, NotFoundError } from "elysia";
import type { Clock } from "../process/clock.ts";
import type { AllowedOrigins } from "../domain/network/allowed-origins.ts";
import type { Caller } from "../domain/accounts/caller.ts";
import type { Plan } from "../domain/accounts/plan.ts";
import type { Subnet } from "../domain/network/subnet.ts";
import { clientAddresses, trustedPeers } from "./connection/client-address.ts";
import { createCors } from "./gate/cors.ts";
import type { Challenge } from "./gate/challenge.ts";
import { createGate } from "./gate/gate.ts";
import { docs } from "./docs/docs.ts";
import { health, type HealthOptions } from "./resources/upkeep/health.ts";
import { leads } from "./gate/leads.ts";
import { createRouteTable } from "./gate/route-table.ts";
import type { OriginOf } from "./gate/own-origin.ts";
import { createPipeline, refuse } from "./gate/pipeline.ts";
import { socketCuts } from "./connection/socket-cut.ts";
import type { Handler } from "./gate/pipeline.ts";
import { contextOf } from "./gate/request-context.ts";
import type { BeginAttempt } from "./gate/request-context.ts";
import type { Route, Routed } from "./operation/route.ts";
import { watchForUnlistedProxy } from "./gate/unlisted-proxy.ts";

export interface HandlerOptions extends HealthOptions {
  readonly clock: Clock;
  /** The caller with a raw key; null for an unknown or revoked one. */
  readonly authenticate: (rawKey: string) => Caller | null;
  /** The caller with a session token; null if the session is unknown or has ended. */
  readonly authenticateSession: (token: string) => Caller | null;
  readonly originOf: OriginOf;
  /** The same for the MCP server: see `surelyOwnOrigin`. */
  readonly mcpOriginOf: OriginOf;
  readonly challenge: Challenge;
  /** See `Database.holdSnapshot`. */
  readonly holdSnapshot: () => void;
  readonly beginAttempt: BeginAttempt;
  /** See `UsageMeter.countOperation`. */
  readonly countOperation: (caller: Caller) => void;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  /** Whether a caller without an account can have a drive and its key. */
  readonly provisioning: boolean;
  /** Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted. */
  readonly trustedProxies: readonly Subnet[];
  readonly corsOrigins: AllowedOrigins;
  /** The server's address for the API description: a URL without a trailing slash, or `/`. */
  readonly baseUrl: string;
  readonly version: string;
  /** All routes but `/docs`, `/healthz` and `/readyz`. */
  readonly routes: readonly Route[];
}

/** Makes the handler of all requests: a pipeline around a router. */
export function createHandler(options: HandlerOptions): Handler {
  const { log, trustedProxies, baseUrl, holdSnapshot } = options;
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

  const isTrustedPeer = trustedPeers(trustedProxies);
  return createPipeline({
    gate: createGate({ ...options, isPublic: table.isPublic, isByLink: table.isByLink }),
    cors: createCors(options.corsOrigins),
    clientOf: clientAddresses(trustedProxies),
    isTrustedPeer,
    watchForUnlistedProxy: watchForUnlistedProxy(isTrustedPeer, log),
    challenge: options.challenge,
    route,
    beginAttempt: options.beginAttempt,
    cutSocket: socketCuts(),
    holdSnapshot,
    countOperation: options.countOperation,
    leads: leads(baseUrl),
    log,
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
