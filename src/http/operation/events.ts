import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import type { RequestContext } from "../gate/request-context.ts";

/** An event of a stream (HTML, section 9.2). */
export interface ServerEvent {
  /** Where a client goes on that has seen it: it comes back as `Last-Event-ID`. Null to leave that as it is. */
  readonly id: string | null;
  /** Null for `message`. */
  readonly name: string | null;
  readonly data: unknown;
}

export interface EventSource {
  /** Some events, and whether there are more already. What it throws ends the stream. */
  read(): { readonly events: readonly ServerEvent[]; readonly hasMore: boolean };
  close(): void;
}

/** What a source tells its stream. */
export interface EventListener {
  /** There may be something to read. */
  readonly wake: () => void;
  /** Called now and then. */
  readonly tick: () => void;
  /** The stream must end. */
  readonly end: () => void;
}

/** Who asks only whether there would be a stream. */
const NOBODY: EventListener = { wake: () => {}, tick: () => {}, end: () => {} };

/** How many ticks in a row a client may have read nothing. */
const PATIENCE = 3;
/** How long a client waits before it connects again, in milliseconds. */
const RETRY = "retry: 2000\n\n";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/**
 * A response of server-sent events. Nothing is kept for a slow client: events are read from the source only when it
 * has taken the earlier ones. Throws what `open` throws.
 */
export function eventStream(
  { context, log }: { readonly context: RequestContext; readonly log: Log },
  open: (listener: EventListener) => EventSource,
): Response {
  if (context.method === "HEAD") {
    open(NOBODY).close();
    // Otherwise the runtime would send a length of 0.
    return new Response(null, { headers: { ...HEADERS, "transfer-encoding": "chunked" } });
  }
  const events = new Events(open, {
    onStall: () => context.breakOff(),
    onFailure: (error) => log.error("a stream of events failed", { request_id: context.id, error }),
  });
  return new Response(new ReadableStream(events, { highWaterMark: 0 }), { headers: HEADERS });
}

interface EarlyEnds {
  /** The client reads nothing. */
  readonly onStall: () => void;
  readonly onFailure: (error: unknown) => void;
}

class Events {
  readonly #source: EventSource;
  readonly #ends: EarlyEnds;
  #controller: ReadableStreamDefaultController<string> | null = null;
  /** Whether the client has taken everything so far. */
  #isWanted = false;
  #idleTicks = 0;

  constructor(open: (listener: EventListener) => EventSource, ends: EarlyEnds) {
    this.#ends = ends;
    this.#source = open({
      wake: () => this.#send(),
      tick: () => this.#tick(),
      end: () => this.#end(),
    });
  }

  start(controller: ReadableStreamDefaultController<string>): void {
    this.#controller = controller;
    // The first bytes, without which the client would not know that it is connected.
    controller.enqueue(RETRY);
  }

  pull(): void {
    this.#isWanted = true;
    this.#idleTicks = 0;
    this.#send();
  }

  cancel(): void {
    this.#controller = null;
    this.#source.close();
  }

  #send(): void {
    if (!this.#isWanted || this.#controller === null) return;
    try {
      const { events, hasMore } = this.#source.read();
      if (events.length > 0) this.#enqueue(events.map(textOf).join(""));
      else if (hasMore) setImmediate(() => this.#send());
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sends something if there is nothing to send. The client may have gone, or lost its access. */
  #tick(): void {
    if (this.#controller === null) return;
    if (this.#isWanted) {
      this.#send();
      if (this.#isWanted) this.#enqueue(":\n\n");
    } else if (++this.#idleTicks >= PATIENCE) {
      this.#end();
      this.#ends.onStall();
    }
  }

  #enqueue(text: string): void {
    this.#isWanted = false;
    this.#controller?.enqueue(text);
  }

  #fail(error: unknown): void {
    const isGone = error instanceof CofferError && error.code === "GONE";
    if (isGone) this.#enqueue(`event: gone\ndata: ${JSON.stringify(error.message)}\n\n`);
    this.#end();
    if (!(error instanceof CofferError)) this.#ends.onFailure(error);
  }

  #end(): void {
    const controller = this.#controller;
    if (controller === null) return;
    this.#controller = null;
    this.#source.close();
    controller.close();
  }
}

function textOf({ id, name, data }: ServerEvent): string {
  const lines = [...(id === null ? [] : [`id: ${id}`]), ...(name === null ? [] : [`event: ${name}`])];
  return [...lines, `data: ${JSON.stringify(data)}\n\n`].join("\n");
}
