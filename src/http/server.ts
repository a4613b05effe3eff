import type { Log } from "../process/log.ts";
import { errorResponse } from "./gate/errors.ts";
import { Listener } from "./listener.ts";
import type { Handler } from "./gate/pipeline.ts";
import { IDLE_SECONDS } from "./gate/request-context.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly handler: Handler;
  readonly log: Log;
}

export interface RunningServer {
  readonly url: URL;
  readonly port: number;
  /**
   * Stops accepting connections, waits up to `deadlineMs` milliseconds for running requests, then closes the
   * remaining connections.
   */
  stop(deadlineMs: number): Promise<void>;
}

/**
 * Serves on a socket.
 *
 * @throws Error that tells the operator what to do, if the address cannot be used
 */
export function startServer(options: ServerOptions): RunningServer {
  const listener = new Listener((port) => listen({ ...options, port }), options);
  return {
    url: listener.url,
    port: listener.port,
    stop: async (deadlineMs) => {
      const deadline = Promise.withResolvers<void>();
      const timer = setTimeout(deadline.resolve, deadlineMs);
      await Promise.race([listener.stop(), deadline.promise]);
      clearTimeout(timer);
      await listener.cut();
    },
  };
}

function listen(options: ServerOptions): Bun.Server<undefined> {
  const { host, port } = options;
  try {
    return serve(options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot listen on ${host}, port ${port} (${why}). Stop what uses it, or choose another with --host and --port, or COFFER_HOST and COFFER_PORT.`,
      { cause },
    );
  }
}

function serve({ host, port, handler, log }: ServerOptions): Bun.Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    development: false,
    // Otherwise, in production mode, a second server could listen on the same port and share its requests.
    reusePort: false,
    // The runtime's own 413 has neither body nor headers: we check lengths ourselves.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: IDLE_SECONDS,
    fetch: (request, connections) => handler(request, connections),
    // Only for failures after the handler, such as a stream that fails before its first byte.
    error: (error) => {
      const requestId = crypto.randomUUID();
      const response = errorResponse(error, requestId, log);
      response.headers.set("x-request-id", requestId);
      response.headers.set("x-content-type-options", "nosniff");
      return response;
    },
  });
}
