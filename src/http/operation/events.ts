import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import type { StreamListener } from "../../services/changes/feed.ts";
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

/** Who asks only whether there would be a stream. */
const NOBODY: StreamListener = { wake: () => {}, tick: () => {}, end: () => {} };

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
  open: (listener: StreamListener) => EventSource,
): Response {
  if (context.method === "HEAD") {
    open(NOBODY).close();
    // Otherwise the runtime would send a length of 0.
    return new Response(null, { headers: { ...HEADERS, "transfer-encoding": "chunked" } });
  }
  let controller: ReadableStreamDefaultController<string> | null = null;
  // Whether the client has taken everything so far.
  let isWanted = false;
  let idleTicks = 0;
  const source = open({ wake: send, tick, end });

  function send(): void {
    if (!isWanted || controller === null) return;
    try {
      const { events, hasMore } = source.read();
      if (events.length > 0) enqueue(events.map(textOf).join(""));
      else if (hasMore) setImmediate(send);
    } catch (error) {
      fail(error);
    }
  }

  /** Sends something if there is nothing to send. The client may have gone, or lost its access. */
  function tick(): void {
    if (controller === null) return;
    if (isWanted) {
      send();
      if (isWanted) enqueue(":\n\n");
    } else if (++idleTicks >= PATIENCE) {
      end();
      context.breakOff();
    }
  }

  function enqueue(text: string): void {
    isWanted = false;
    controller?.enqueue(text);
  }

  function fail(error: unknown): void {
    const isGone = error instanceof CofferError && error.code === "GONE";
    if (isGone) enqueue(`event: gone\ndata: ${JSON.stringify(error.message)}\n\n`);
    end();
    if (!(error instanceof CofferError))
      log.error("a stream of events failed", { request_id: context.id, error });
  }

  function end(): void {
    if (controller === null) return;
    const ended = controller;
    controller = null;
    source.close();
    ended.close();
  }

  const stream = new ReadableStream<string>(
    {
      start: (given) => {
        controller = given;
        // The first bytes, without which the client would not know that it is connected.
        given.enqueue(RETRY);
      },
      pull: () => {
        isWanted = true;
        idleTicks = 0;
        send();
      },
      cancel: () => {
        controller = null;
        source.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: HEADERS });
}

function textOf({ id, name, data }: ServerEvent): string {
  const lines = [...(id === null ? [] : [`id: ${id}`]), ...(name === null ? [] : [`event: ${name}`])];
  return [...lines, `data: ${JSON.stringify(data)}\n\n`].join("\n");
}
