import { Elysia, NotFoundError } from "elysia";
import type { AnyElysia } from "elysia";
import type { AllowedOrigins } from "../domain/network/allowed-origins.ts";
import type { Subnet } from "../domain/network/subnet.ts";
import { clientAddresses, trustedPeers } from "./connection/client-address.ts";
import { createCors } from "./gate/cors.ts";
import { createGate, type GateOptions } from "./gate/gate.ts";
import { docs } from "./docs/docs.ts";
import { detailIn } from "./docs/operations.ts";
import { health, type HealthOptions } from "./resources/upkeep/health.ts";
import { createRouteTable } from "./gate/route-table.ts";
import { createPipeline, type Handler, type PipelineOptions, refuse } from "./gate/pipeline.ts";
import { socketCuts } from "./connection/socket-cut.ts";
import { contextOf } from "./gate/request-context.ts";

export interface HandlerOptions
  extends
    HealthOptions,
    Omit<GateOptions, "isPublic" | "isByLink">,
    Pick<PipelineOptions, "baseUrl" | "beginAttempt" | "challenge" | "countOperation" | "holdSnapshot"> {
  /** Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted. */
  readonly trustedProxies: readonly Subnet[];
  readonly corsOrigins: AllowedOrigins;
  readonly version: string;
  /** The routes of `/v0`, one plugin a resource. */
  readonly api: readonly AnyElysia[];
  /** Routes outside `/v0`. Those made by `operation` are in the API description. */
  readonly pages: readonly AnyElysia[];
}

/** Makes the handler of all requests: a pipeline around a router. */
export function createHandler(options: HandlerOptions): Handler {
  const { log, trustedProxies, baseUrl, version, api } = options;
  const routes = new Elysia({ handler: { standardHostname: false }, normalize: false })
    // Check the class, not the code: Elysia takes any error's `code` for its own, a CofferError's too.
    .onError(({ error, request }) =>
      refuse(error instanceof NotFoundError ? unrouted(request) : error, request, log),
    )
    .use(health(options))
    .use(docs({ api: [...api, ...options.pages], baseUrl, version }))
    .use([...api])
    .use([...options.pages]);
  const table = createRouteTable(
    routes.routes.map(({ method, path, hooks }) => ({ method, path, ...factsOf(hooks) })),
  );
  const unrouted = (request: Request) => {
    const { method, path } = contextOf(request);
    return table.unrouted(method, path);
  };
  const route = (request: Request) => {
    const { method, path } = contextOf(request);
    table.requireMethod(method, path);
    return routes.fetch(request);
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

/** What the table has of a route, according to its operation. */
function factsOf(hooks: { readonly detail?: unknown }) {
  const detail = detailIn(hooks);
  return { isDescribed: detail !== null, isPublic: detail?.isPublic === true };
}
