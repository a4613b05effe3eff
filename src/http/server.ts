import { setTimeout as sleep } from "node:timers/promises";
import { areDescriptorsShort, DescriptorReserve, openFilesLimit } from "../process/descriptors.ts";
import type { Log } from "../process/log.ts";
import { PassedSocket } from "../process/sockets/passed-socket.ts";
import type { SocketAddress } from "../process/sockets/sockets.ts";
import type { TlsPair } from "../domain/network/tls-pair.ts";
import { steerToSecond } from "./connection/steering.ts";
import { errorResponse } from "./gate/errors.ts";
import type { Handler } from "./gate/pipeline.ts";
import { IDLE_SECONDS } from "./gate/request-context.ts";

interface ServerOptions {
  /** Where it listens: a socket that was passed, or an address, whose port 0 takes any free one. */
  readonly at: SocketAddress | PassedSocket;
  readonly handler: Handler;
  readonly log: Log;
  /** What it proves with who it is; null if it speaks plain HTTP. */
  readonly tls: TlsPair | null;
  /** Overrides the wait of `LEAVE_MS`. */
  readonly left?: () => Promise<unknown>;
}

/** How often free file descriptors are counted, in milliseconds; and how often while they are short. */
const WATCH_MS = 250;
const WATCH_SHORT_MS = 20;

/** How long what was accepted from a passed socket may take to send its request at the end, in milliseconds. */
const ARRIVE_MS = 300;

/** How often it is looked whether all requests are answered at the end, in milliseconds. */
const ANSWERED_MS = 100;

/**
 * How long connections with a former certificate are served, in milliseconds: so long that those that are not used have
 * timed out. The runtime does that with seconds of delay.
 */
const LEAVE_MS = (IDLE_SECONDS + 10) * 1000;

/** After this many counts in a row with few descriptors, half a second, connections are paused. */
const ROUNDS = 25;

/** Where a server listens for a moment that is to listen on a passed socket. */
const AT_FIRST = { host: "127.0.0.1", port: 0 } as const;

/**
 * Accepts connections while there are file descriptors for them. Without any, the runtime would try to accept the next
 * connection again and again, using a whole core, and no file could be opened.
 */
export class Server {
  readonly port: number;
  readonly #options: ServerOptions;
  readonly #passed: PassedSocket | null;
  readonly #reserve: DescriptorReserve;
  #watch: NodeJS.Timeout | null = null;
  /** The server that accepts connections; null while paused. */
  #server: Bun.Server<undefined> | null;
  #tls: TlsPair | null;
  /** Whether each answer is the last one on its connection. */
  #isEnding = false;
  /** Makes it get no more connections from the passed socket; null if there is none. */
  #withdraw: (() => void) | null = null;
  /** Has a former certificate. It closes each connection with its next answer, and gets no new ones; null if there is none. */
  #leaving: Bun.Server<undefined> | null = null;
  readonly #stopped = new AbortController();
  /** Servers that accept no more connections, until their last request is answered. */
  readonly #ending = new Map<Bun.Server<undefined>, Promise<void>>();
  /** How many counts in a row found descriptors short. */
  #rounds = 0;

  /** Serves once it is sure that connections come. Rejects with an Error for the operator. */
  static async open(options: ServerOptions): Promise<Server> {
    const server = new Server(options);
    try {
      await server.#passed?.requireAccepted();
    } catch (error) {
      await server.stop(0);
      throw error;
    }
    return server;
  }

  /** Serves on a socket. Throws an Error that tells the operator what to do, if the address cannot be used. */
  constructor(options: ServerOptions) {
    const { tls, at } = options;
    this.#tls = tls;
    this.#options = options;
    this.#passed = at instanceof PassedSocket ? at : null;
    // Another program may listen on a port that is shared: first it must be free.
    this.port = tls === null || this.#passed !== null ? at.port : freePort(at);
    const server = this.#listen();
    this.#server = server;
    if (this.#passed === null) this.port = server.port ?? at.port;
    this.#reserve = new DescriptorReserve();
    this.#watchAfter(WATCH_MS);
  }

  /**
   * Serves new connections with another certificate. No connection is dropped for it: those that are there are closed
   * with their next answer, or as idle ones are. Throws if it cannot be used; the former one stays.
   *
   * @returns `ended` resolves when no request can come to the former certificate. Only then may there be another exchange.
   */
  exchange(tls: TlsPair): { readonly ended: Promise<void> } {
    const former = this.#server;
    const withdraw = this.#withdraw;
    const before = this.#tls;
    this.#tls = tls;
    // Paused, it is used when connections are accepted again.
    if (former === null || this.#stopped.signal.aborted) return { ended: Promise.resolve() };
    try {
      this.#server = this.#listen();
    } catch (error) {
      this.#tls = before;
      throw error;
    }
    this.#leaving = former;
    if (withdraw === null) steerToSecond(this.port);
    else withdraw();
    return { ended: this.#leave() };
  }

  async #leave(): Promise<void> {
    const { signal } = this.#stopped;
    const left = this.#options.left?.() ?? sleep(LEAVE_MS, undefined, { signal });
    // Rejects if the server stops.
    await left.catch(() => {});
    this.#endLeaving();
  }

  /**
   * Stops accepting connections, waits up to `deadlineMs` milliseconds for running requests, then closes the
   * remaining connections.
   */
  async stop(deadlineMs: number): Promise<void> {
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#stopped.abort();
    await this.#letArrive(deadlineMs);
    this.#close();
    this.#reserve.release();
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, deadlineMs);
    await Promise.race([Promise.all(this.#ending.values()), this.#answered(), deadline.promise]);
    clearTimeout(timer);
    await Promise.all([...this.#ending.keys()].map((server) => server.stop(true)));
  }

  /**
   * With a passed socket no request need be lost: new connections wait there for the next server. Those that are there
   * would be closed when their request comes, so they are given time to send it.
   */
  async #letArrive(deadlineMs: number): Promise<void> {
    if (this.#withdraw === null || this.#server === null) return;
    this.#withdraw();
    this.#isEnding = true;
    await sleep(Math.min(ARRIVE_MS, deadlineMs));
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
    else for (const each of [server, this.#leaving]) each?.closeIdleConnections();
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
      this.#server = this.#listen();
      this.#options.log.info("connections are accepted again");
    } catch (error) {
      this.#options.log.error("connections cannot be accepted again yet", { error });
    }
  }

  #close(): void {
    this.#endLeaving();
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    this.#end(server);
  }

  #endLeaving(): void {
    if (this.#leaving !== null) this.#end(this.#leaving);
    this.#leaving = null;
  }

  #end(server: Bun.Server<undefined>): void {
    const ended = server.stop().finally(() => this.#ending.delete(server));
    this.#ending.set(server, ended);
  }

  #listen(): Bun.Server<undefined> {
    const passed = this.#passed;
    if (passed === null) return this.#listenAt({ host: this.#options.at.host, port: this.port });
    const server = this.#listenAt(AT_FIRST);
    try {
      this.#withdraw = passed.give({ ...AT_FIRST, port: server.port ?? 0 });
    } catch (error) {
      void server.stop(true);
      throw error;
    }
    return server;
  }

  #listenAt({ host, port }: SocketAddress): Bun.Server<undefined> {
    const { handler, log } = this.#options;
    return listening(host, port, () =>
      Bun.serve({
        hostname: host,
        port,
        development: false,
        // Otherwise, in production mode, a second server could listen on the same port and share its requests.
        reusePort: this.#tls !== null && this.#passed === null,
        ...(this.#tls === null ? {} : { tls: { cert: this.#tls.cert, key: this.#tls.key } }),
        // The runtime's own 413 has neither body nor headers: we check lengths ourselves.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        idleTimeout: IDLE_SECONDS,
        fetch: (request, connections) =>
          connections === this.#leaving || this.#isEnding
            ? lastOf(handler(request, connections))
            : handler(request, connections),
        // Only for failures after the handler, such as a stream that fails before its first byte.
        error: (error) => {
          const requestId = crypto.randomUUID();
          const response = errorResponse(error, requestId, log);
          response.headers.set("x-request-id", requestId);
          response.headers.set("x-content-type-options", "nosniff");
          return response;
        },
      }),
    );
  }
}

/** The last answer on its connection. */
async function lastOf(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("connection", "close");
  return response;
}

/** The port, or a free one for 0, once nothing listens there. Throws an Error for the operator if something does. */
function freePort({ host, port }: SocketAddress): number {
  const found = listening(host, port, () =>
    Bun.listen({ hostname: host, port, exclusive: true, socket: { data: () => {} } }),
  );
  found.stop(true);
  return found.port;
}

function listening<T>(host: string, port: number, listen: () => T): T {
  try {
    return listen();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot listen on ${host}, port ${port} (${why}). Stop what uses it, or choose another: see COFFER_HOST, COFFER_PORT and COFFER_TLS_REDIRECT_PORT.`,
      { cause },
    );
  }
}
