import { areDescriptorsShort, DescriptorReserve, openFilesLimit } from "../descriptors.ts";
import type { Log } from "../log.ts";

/** Takes connections on this port; 0 is any that is free. */
type Listen = (port: number) => Bun.Server<undefined>;

/** How often the descriptors that are left are looked at, in milliseconds; and how often while few are left. */
const WATCH_MS = 250;
const WATCH_SHORT_MS = 20;

/** After how many looks in a row that found few left no more connections are taken for a while. */
const ROUNDS = 8;

/**
 * Takes connections while there are file descriptors for them. Without any, the runtime would try to take the
 * next connection again and again, with all the time of a core; and no file could be opened.
 */
export class Listener {
  readonly url: URL;
  readonly port: number;
  readonly #listen: Listen;
  readonly #log: Log;
  readonly #reserve: DescriptorReserve;
  #watch: NodeJS.Timeout | null = null;
  /** What takes connections now; null while nothing does. */
  #server: Bun.Server<undefined> | null;
  /** Those that take no more, until their last request is answered. */
  readonly #ending = new Map<Bun.Server<undefined>, Promise<void>>();
  /** How often in a row hardly any descriptor was left. */
  #rounds = 0;

  /** Throws what `listen` throws. */
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

  /** Takes no more connections; resolves when the last request is answered. */
  async stop(): Promise<void> {
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#close();
    this.#reserve.release();
    await Promise.all(this.#ending.values());
  }

  /** Closes every connection that is left. */
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
    // What was taken just now looks idle until its request has been read: that comes before the second look.
    if (this.#rounds === 1) return;
    // Clients keep connections that they may use again: most often it is enough to close those.
    if (this.#rounds > ROUNDS || server.closeIdleConnections() === 0) this.#pause();
  }

  #pause(): void {
    this.#log.warn("too many connections: no more are taken until some have gone", {
      open_files_limit: openFilesLimit(),
    });
    this.#reserve.release();
    this.#close();
    this.#rounds = 0;
  }

  #listenAgain(): void {
    if (!this.#reserve.take()) return;
    try {
      this.#server = this.#listen(this.port);
      this.#log.info("connections are taken again");
    } catch (error) {
      this.#log.error("connections cannot be taken again yet", { error });
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
