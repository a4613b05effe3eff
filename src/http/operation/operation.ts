import type { TObject, TSchema } from "@sinclair/typebox";
import { type Answered, checksOf, type Input, type Method, type Route, routeOf } from "./route.ts";
import type { Operation } from "./spec.ts";

interface Handled<P extends TObject, Q extends TObject, B extends TSchema> extends Operation<P, Q, B> {
  readonly handle: (input: Input<P, Q, B>) => Answered;
}

/**
 * The route of an operation: for reads, and for writes that take no Idempotency-Key. For other writes see `write`.
 * Without a body, the handler is called at once, so a read needs no turn of the event loop.
 */
export function operation<P extends TObject, Q extends TObject, B extends TSchema>(
  method: Method,
  path: string,
  spec: Handled<P, Q, B>,
): Route;
export function operation(method: Method, path: string, spec: Handled<TObject, TObject, TSchema>): Route {
  const { begin, readBody } = checksOf(path, spec);
  return routeOf(method, path, spec, false, (routed, context) => {
    const { hasBody, parseBody, inputWith } = begin(routed, context);
    if (!hasBody) return spec.handle(inputWith(undefined));
    return readBody(routed.request, context)
      .then(parseBody)
      .then((body) => spec.handle(inputWith(body)));
  });
}
