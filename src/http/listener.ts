import { setTimeout as sleep } from "node:timers/promises";
import { areDescriptorsShort, DescriptorReserve, openFilesLimit } from "../process/descriptors.ts";
import type { Log } from "../process/log.ts";

/** Listens on this port; 0 takes any free one. */
type Listen = (port: number) => Bun.Server<undefined>;

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
export class Listener {
  readonly url: URL;
  readonly port: number;
  readonly #listen: Listen;
  readonly #log: Log;
  readonly #reserve: DescriptorReserve;
  #watch: NodeJS.Timeout | null = null;
  /** The server that accepts connections; null while paused. */
  #server: Bun.Server<undefined> | null;
  /** Servers that accept no more connections, until their last request is answered. */
  readonly #ending = new Map<Bun.Server<undefined>, Promise<void>>();
  /** How many counts in a row found descriptors short. */
  #rounds = 0;

  /** Throws errors of `listen`. */
  constructor(listen: Listen, { port, log }: { readonly port: number; readonly log: Log }) {
    const server = listen(port);
    this.#server = server;
    this.url = server.url;
    this.port = server.port ?? port;
    this.#listen = listen;
    this.#log = log;
    this.#reserve = new DescriptorReserve();
    this.#watchAfter(WATCH_MS);
  }

  /** Stops accepting connections; resolves when the last request is answered. */
  async stop(): Promise<void> {
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#close();
    this.#reserve.release();
    await Promise.race([Promise.all(this.#ending.values()), this.#answered()]);
  }

  /**
   * Resolves when all requests are answered, also where the runtime waits for the rest of a body that was refused: its
   * client may send no more of it.
   */
  async #answered(): Promise<void> {
    do await sleep(ANSWERED_MS);
    while ([...this.#ending.keys()].some(({ pendingRequests }) => pendingRequests > 0));
  }

  /** Closes all remaining connections. */
  async cut(): Promise<void> {
    await Promise.all([...this.#ending.keys()].map((server) => server.stop(true)));
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
    this.#log.warn("too many connections: new ones are refused until some have closed", {
      open_files_limit: openFilesLimit(),
    });
    this.#close();
    this.#rounds = 0;
  }

  #listenAgain(): void {
    if (!this.#reserve.take()) return;
    try {
      this.#server = this.#listen(this.port);
      this.#log.info("connections are accepted again");
    } catch (error) {
      this.#log.error("connections cannot be accepted again yet", { error });
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
