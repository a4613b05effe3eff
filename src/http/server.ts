import { setTimeout as sleep } from "node:timers/promises";
import { areDescriptorsShort, DescriptorReserve, openFilesLimit } from "../process/descriptors.ts";
import type { Log } from "../process/log.ts";
import { errorResponse } from "./gate/errors.ts";
import type { Handler } from "./gate/pipeline.ts";
import { IDLE_SECONDS } from "./gate/request-context.ts";

interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly handler: Handler;
  readonly log: Log;
}

/** How often free file descriptors are counted, in milliseconds; and how often while they are short. */
const WATCH_MS = 250;
const WATCH_SHORT_MS = 20;

/** How often it is looked whether all requests are answered at the end, in milliseconds. */
const ANSWERED_MS = 100;

/** After this many counts in a row with few descriptors, half a second, connections are paused. */
const ROUNDS = 25;

/**
 * Accepts connections while there are file descriptors for them. Without any, the runtime would try to accept the next
 * connection again and again, using a whole core, and no file could be opened.
 */
export class Server {
  readonly port: number;
  readonly #options: ServerOptions;
  readonly #reserve: DescriptorReserve;
  #watch: NodeJS.Timeout | null = null;
  /** The server that accepts connections; null while paused. */
  #server: Bun.Server<undefined> | null;
  /** Servers that accept no more connections, until their last request is answered. */
  readonly #ending = new Map<Bun.Server<undefined>, Promise<void>>();
  /** How many counts in a row found descriptors short. */
  #rounds = 0;

  /** Serves on a socket. Throws an Error that tells the operator what to do, if the address cannot be used. */
  constructor(options: ServerOptions) {
    const server = listen(options);
    this.#server = server;
    this.port = server.port ?? options.port;
    this.#options = options;
    this.#reserve = new DescriptorReserve();
    this.#watchAfter(WATCH_MS);
  }

  /**
   * Stops accepting connections, waits up to `deadlineMs` milliseconds for running requests, then closes the
   * remaining connections.
   */
  async stop(deadlineMs: number): Promise<void> {
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#close();
    this.#reserve.release();
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, deadlineMs);
    await Promise.race([Promise.all(this.#ending.values()), this.#answered(), deadline.promise]);
    clearTimeout(timer);
    await Promise.all([...this.#ending.keys()].map((server) => server.stop(true)));
  }

  /**
   * Resolves when all requests are answered, also where the runtime waits for the rest of a body that was refused: its
   * client may send no more of it.
   */
  async #answered(): Promise<void> {
    do await sleep(ANSWERED_MS);
    while ([...this.#ending.keys()].some(({ pendingRequests }) => pendingRequests > 0));
  }

  #watchAfter(ms: number): void {
    this.#watch = setTimeout(() => {
      if (this.#server === null) this.#listenAgain();
      else this.#makeRoom(this.#server);
      this.#watchAfter(this.#rounds === 0 ? WATCH_MS : WATCH_SHORT_MS);
    }, ms).unref();
  }

  #makeRoom(server: Bun.Server<undefined>): void {
    if (!areDescriptorsShort()) {
      this.#rounds = 0;
      return;
    }
    this.#rounds++;
    // A new connection looks idle until its request has been read, which happens before the second count.
    if (this.#rounds === 1) return;
    // Clients keep connections for reuse: mostly it is enough to close those, once they are answered. A pause resets
    // the connections that wait to be accepted.
    if (this.#rounds > ROUNDS) this.#pause();
    else server.closeIdleConnections();
  }

  #pause(): void {
    // First: the limit cannot be read without a descriptor.
    this.#reserve.release();
    this.#options.log.warn("too many connections: new ones are refused until some have closed", {
      open_files_limit: openFilesLimit(),
    });
    this.#close();
    this.#rounds = 0;
  }

  #listenAgain(): void {
    if (!this.#reserve.take()) return;
    try {
      this.#server = listen({ ...this.#options, port: this.port });
      this.#options.log.info("connections are accepted again");
    } catch (error) {
      this.#options.log.error("connections cannot be accepted again yet", { error });
    }
  }

  #close(): void {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const ended = server.stop().finally(() => this.#ending.delete(server));
    this.#ending.set(server, ended);
  }
}

function listen({ host, port, handler, log }: ServerOptions): Bun.Server<undefined> {
  try {
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
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot listen on ${host}, port ${port} (${why}). Stop what uses it, or choose another with --host and --port, or COFFER_HOST and COFFER_PORT.`,
      { cause },
    );
  }
}
