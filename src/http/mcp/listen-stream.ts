import type { RequestContext } from "../gate/request-context.ts";
import type { StreamListener } from "../../services/changes/feed.ts";
import type { Listening } from "./listening.ts";

/** How many events wait for the client to read them, at most: the SDK keeps them in memory. */
const AHEAD = 16;
/** How many ticks in a row a client may have read nothing. */
const PATIENCE = 3;
const COMMENT = new TextEncoder().encode(": keepalive\n\n");

/** Passes on what the SDK writes for a client that listens, as fast as it reads. */
export class ListenStream implements StreamListener {
  readonly #parts;
  #listening: Listening | null = null;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** How many events the client has not read. The first is the SDK's own. */
  #unread = 1;
  #idleTicks = 0;

  constructor(parts: {
    /** Ends the SDK's stream, which tells the client so. */
    finish: () => Promise<void>;
    onFailure: (error: unknown) => void;
    context: RequestContext;
  }) {
    this.#parts = parts;
  }

  /** The SDK's response, with a body that is made while the client reads it. */
  passOn(response: Response, listening: Listening): Response {
    const { body, headers, status } = response;
    if (body === null || headers.get("content-type") !== "text/event-stream") {
      listening.close();
      return response;
    }
    this.#listening = listening;
    const reader = body.getReader();
    const passed = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: async (controller) => {
          const piece = await reader.read();
          this.#idleTicks = 0;
          this.#unread -= 1;
          if (piece.done) {
            this.#controller = null;
            controller.close();
            return;
          }
          controller.enqueue(piece.value);
          this.#tell();
        },
        cancel: async () => {
          this.#controller = null;
          listening.close();
          await reader.cancel();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(passed, { status, headers });
  }

  readonly wake = (): void => this.#tell();

  readonly tick = (): void => {
    if (this.#listening === null) return;
    this.#tell();
    if (this.#unread <= 0 && this.#controller?.desiredSize === 0) {
      this.#controller.enqueue(COMMENT);
      return;
    }
    this.#idleTicks += 1;
    if (this.#idleTicks < PATIENCE) return;
    this.end();
    this.#parts.context.breakOff();
  };

  readonly end = (): void => {
    this.#listening?.close();
    this.#listening = null;
    this.#parts.finish().catch(this.#parts.onFailure);
  };

  #tell(): void {
    const room = AHEAD - this.#unread;
    if (this.#listening === null || room <= 0) return;
    try {
      const { told, hasMore } = this.#listening.tell(room);
      this.#unread += told;
      if (hasMore && told === 0) setImmediate(() => this.#tell());
    } catch (error) {
      this.#parts.onFailure(error);
      this.end();
    }
  }
}
