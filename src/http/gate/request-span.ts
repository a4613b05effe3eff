import type { Span } from "../../tracing/span.ts";
import type { RequestContext } from "./request-context.ts";

/** Others would be names that callers make up (OpenTelemetry, semantic conventions for HTTP spans). */
const METHODS: ReadonlySet<string> = new Set([
  "CONNECT",
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
  "TRACE",
]);

/** Ends the span of a request. @param host of this server; null if it is not configured */
export function endSpan(span: Span, context: RequestContext, status: number, host: string | null): void {
  const { id, route, call, caller } = context;
  const method = METHODS.has(context.method) ? context.method : "_OTHER";
  span.name = route === null ? method : `${method} ${route.path}`;
  span.set(
    {
      "http.request.method": method,
      "http.response.status_code": status,
      "coffer.request_id": id,
      ...(route === null ? {} : { "http.route": route.path }),
      ...(host === null ? {} : { "server.address": host }),
      ...(call === null ? {} : { "coffer.mcp.call": call }),
      ...(caller?.keyId ? { "coffer.key_id": caller.keyId } : {}),
    },
    "server",
  );
  if (status >= 500) span.fail(String(status));
  span.end();
}
