import type { TObject, TSchema } from "@sinclair/typebox";
import { checksOf, type Input, type Route, routeOf } from "./route.ts";
import type { Operation } from "./spec.ts";

/**
 * Turns an operation and its handler into the arguments of an Elysia route: for reads, and for writes that take no
 * Idempotency-Key. For other writes see `write`. Without a body, the handler is called at once, so a read needs no
 * turn of the event loop.
 */
export function operation<Path extends string, P extends TObject, Q extends TObject, B extends TSchema>(
  path: Path,
  spec: Operation<P, Q, B>,
  handle: (input: Input<P, Q, B>) => Response | Promise<Response>,
): Route<Path>;
export function operation(
  path: string,
  spec: Operation<TObject, TObject, TSchema>,
  handle: (input: Input<TObject, TObject, TSchema>) => Response | Promise<Response>,
): Route<string> {
  const { begin, readBody } = checksOf(path, spec);
  return routeOf(path, spec, false, (route) => {
    const { hasBody, parseBody, inputWith } = begin(route);
    if (!hasBody) return handle(inputWith(undefined));
    return readBody(route.request)
      .then(parseBody)
      .then((body) => handle(inputWith(body)));
  });
}
