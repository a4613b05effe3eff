import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { Change } from "../../domain/changes/change.ts";
import { invalid, notFound } from "../../domain/errors.ts";
import { isFolderPath } from "../../domain/files/path.ts";
import type { FeedStream, StreamListener } from "../../services/changes/feed.ts";
import { type RequestContext, unauthorized } from "../gate/request-context.ts";
import * as shown from "./shown.ts";
import type { McpOptions } from "./tool.ts";

/** What a client wants to be told (MCP, `subscriptions/listen`). */
export interface ListenFilter {
  readonly resourcesListChanged: boolean;
  readonly resourceSubscriptions: readonly string[];
}

/** Listens for the client of a request. */
export type Listen = (context: RequestContext, filter: ListenFilter, listener: StreamListener) => Listening;

const RESOURCES = 500;

export function listenTo({ services }: Pick<McpOptions, "services">): Listen {
  const { drives, feed } = services;
  return ({ caller, client }, filter, listener) => {
    if (caller === null) throw unauthorized(false);
    const watched = new Map<string, string[]>();
    const named = new Set<string>();
    const { resourceSubscriptions: uris, resourcesListChanged } = filter;
    if (uris.length > RESOURCES)
      throw invalid("resourceSubscriptions", `must name at most ${RESOURCES} resources`);
    for (const uri of uris) {
      const ref = shown.parseFileUri(uri);
      if (ref === null) throw notFound("file");
      const { id } = drives.get(caller, ref.drive);
      named.add(id);
      const key = keyOf(id, ref.path);
      watched.set(key, [...(watched.get(key) ?? []), uri]);
    }
    if (resourcesListChanged) for (const { id } of drives.list(caller, null)) named.add(id);
    const stream = feed.open(caller, client, { drives: [...named], position: "latest" }, listener);
    return new Watch(stream, watched, resourcesListChanged);
  };
}

export type Listening = Pick<Watch, keyof Watch>;

/** What a client listens to. It is the bus of its one stream, so that nobody is told of what others may see. */
class Watch implements ServerEventBus {
  readonly #stream: FeedStream;
  /** URIs as they were sent, by drive and path. */
  readonly #watched: ReadonlyMap<string, readonly string[]>;
  /** Those of them that are folders: they change with all that is in them. */
  readonly #folders: readonly string[];
  readonly #tellsLists: boolean;
  #deliver: ((event: ServerEvent) => void) | null = null;
  /** Resources that have changed, and of which the client is not told yet. */
  readonly #due = new Set<string>();
  #isListDue = false;

  constructor(stream: FeedStream, watched: ReadonlyMap<string, readonly string[]>, tellsLists: boolean) {
    this.#stream = stream;
    this.#watched = watched;
    this.#folders = [...watched.keys()].filter((key) => key.endsWith("/") || key.endsWith(SEPARATOR));
    this.#tellsLists = tellsLists;
  }

  /** Nobody else publishes. */
  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#deliver = listener;
    return () => this.close();
  }

  /**
   * Tells the client of up to so many events. Returns how many, and whether there may be more. Throws once the caller
   * may not read what it listens to any more.
   */
  tell(limit: number): { readonly told: number; readonly hasMore: boolean } {
    const { changes, hasMore } = this.#stream.read();
    for (const change of changes) this.#note(change);
    let told = 0;
    const deliver = this.#deliver ?? (() => {});
    if (this.#isListDue && told < limit) {
      this.#isListDue = false;
      deliver({ kind: "resources_list_changed" });
      told += 1;
    }
    for (const uri of this.#due) {
      if (told >= limit) break;
      this.#due.delete(uri);
      deliver({ kind: "resource_updated", uri });
      told += 1;
    }
    return { told, hasMore: hasMore || this.#due.size > 0 || this.#isListDue };
  }

  close(): void {
    this.#deliver = null;
    this.#stream.close();
  }

  #note(change: Change): void {
    const { type, driveId, path, previousPath } = change;
    if (this.#tellsLists && type !== "file.updated") this.#isListDue = true;
    for (const each of previousPath === null ? [path] : [path, previousPath]) {
      for (const folder of this.#folders) if (keyOf(driveId, each).startsWith(folder)) this.#mark(folder);
      if (each !== "" && !isFolderPath(each)) this.#mark(keyOf(driveId, each));
      else for (const key of this.#watched.keys()) if (key.startsWith(keyOf(driveId, each))) this.#mark(key);
    }
  }

  #mark(key: string): void {
    for (const uri of this.#watched.get(key) ?? []) this.#due.add(uri);
  }
}

/** What no id and no path has. */
const SEPARATOR = "\n";

function keyOf(drive: string, path: string): string {
  return drive + SEPARATOR + path;
}

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
