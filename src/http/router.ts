import { Elysia, NotFoundError } from "elysia";
import { answeredBy, type Route, Unrouted } from "./operation/route.ts";

/** Makes what finds a request's route by its path. @param refuse answers an error; Unrouted where no route is found */
export function createRouter(
  routes: readonly Route[],
  refuse: (error: unknown, request: Request) => Response,
) {
  const router = new Elysia({ handler: { standardHostname: false }, normalize: false })
    // Check the class, not the code: Elysia takes any error's `code` for its own, a CofferError's too.
    .onError(({ error, request }) =>
      refuse(error instanceof NotFoundError ? new Unrouted() : error, request),
    );
  // Bound, because Elysia reads a handler's source to guess whether it awaits or needs a parsed body, and if so delays
  // every response by a turn. A bound function has no source: nothing is parsed, and promises are passed on.
  for (const route of routes) router.route(route.method, route.path, answeredBy.bind(null, route));
  return router.fetch;
}
