import { Elysia, NotFoundError } from "elysia";
import type { AnyElysia } from "elysia";
import type { Clock } from "../clock.ts";
import type { Caller, Plan } from "../domain/caller.ts";
import type { Subnet } from "../domain/subnet.ts";
import { notFound } from "../domain/errors.ts";
import type { Log } from "../log.ts";
import type { Problem } from "../services/health.ts";
import { clientAddresses, trustedPeers } from "./gate/client-address.ts";
import { createGate } from "./gate/gate.ts";
import { docs } from "./docs/docs.ts";
import { health } from "./resources/health.ts";
import { createRouteTable, methodNotAllowed } from "./gate/route-table.ts";
import type { OriginOf } from "./gate/own-origin.ts";
import { createPipeline, refuse } from "./gate/pipeline.ts";
import type { Handler } from "./gate/pipeline.ts";
import { contextOf } from "./gate/request-context.ts";
import type { BeginAttempt } from "./gate/request-context.ts";
import { watchForUnlistedProxy } from "./gate/unlisted-proxy.ts";

/** What requests are handled with. */
export interface HandlerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Finds the caller behind a raw key; null for one that is unknown or revoked. */
  readonly authenticate: (rawKey: string) => Caller | null;
  /** Finds whoever is signed in with a session's token; null when nobody is. */
  readonly authenticateSession: (token: string) => Caller | null;
  readonly originOf: OriginOf;
  /** What keeps the server from its work; rejects when the database or the disk does not answer. */
  readonly ready: () => Promise<readonly Problem[]>;
  /** See `Database.holdSnapshot`. */
  readonly holdSnapshot: () => void;
  readonly beginAttempt: BeginAttempt;
  /** See `UsageMeter.countOperation`. */
  readonly countOperation: (caller: Caller) => void;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  /** Addresses and networks whose `X-Forwarded-For`, `-Host` and `-Proto` are believed. */
  readonly trustedProxies: readonly Subnet[];
  /** Where callers reach this service, for the API description: a URL without trailing slash, or `/`. */
  readonly baseUrl: string;
  readonly version: string;
  /** The routes of `/v0`, one plugin a resource. */
  readonly api: readonly AnyElysia[];
  /** Routes outside `/v0`. The API description shows those that are made by `operation`. */
  readonly pages: readonly AnyElysia[];
}

/** Makes the handler of every request that the server takes: a pipeline around a router. */
export function createHandler(options: HandlerOptions): Handler {
  const { log, ready, trustedProxies, baseUrl, version, api, holdSnapshot } = options;
  const routes = new Elysia({ handler: { standardHostname: false }, normalize: false })
    // Told by its class: Elysia takes the `code` of any error, a CofferError's as well, for its own.
    .onError(({ error, request }) =>
      refuse(error instanceof NotFoundError ? unrouted(request) : error, request, log),
    )
    .use(health({ ready, log }))
    .use(docs({ api: [...api, ...options.pages], baseUrl, version }))
    .use([...api])
    .use([...options.pages]);
  const table = createRouteTable(
    routes.routes.map(({ method, path, hooks }) => ({ method, path, isPublic: isPublic(hooks.detail) })),
  );

  const unrouted = (request: Request) => {
    const allowed = table.allowedMethods(contextOf(request).path);
    return allowed.length === 0 ? notFound("route") : methodNotAllowed(request.method, allowed);
  };

  const isTrustedPeer = trustedPeers(trustedProxies);
  return createPipeline({
    gate: createGate({ ...options, isPublic: table.isPublic }),
    clientOf: clientAddresses(trustedProxies),
    isTrustedPeer,
    watchForUnlistedProxy: watchForUnlistedProxy(isTrustedPeer, log),
    route: routes.fetch,
    beginAttempt: options.beginAttempt,
    holdSnapshot,
    countOperation: options.countOperation,
    log,
  });
}

/** Whether a route's detail, as `describeOperation` makes it, says that the route needs no key. */
function isPublic(detail: unknown): boolean {
  return typeof detail === "object" && detail !== null && "x-public" in detail && detail["x-public"] === true;
}
