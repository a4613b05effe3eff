import { expect } from "bun:test";
import type { ChangeRecord } from "../../../src/http/records/change-schemas.ts";
import type { Client } from "../server/client.ts";

/** An event as it came. */
interface Received {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** Reads a stream of server-sent events. */
export class EventReader implements AsyncDisposable {
  readonly response: Response;
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #abort: AbortController;
  readonly #decoder = new TextDecoder();
  #rest = "";

  private constructor(response: Response, abort: AbortController) {
    if (response.body === null) throw new Error("the response has no body");
    this.response = response;
    this.#pieces = response.body[Symbol.asyncIterator]();
    this.#abort = abort;
  }

  /** Opens a stream of changes. The query has no `?`. */
  static async open(
    { base, key }: Pick<Client, "base" | "key">,
    query: string,
    headers: Record<string, string> = {},
  ): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(`${base}/v0/changes?${query}`, {
      headers: {
        accept: "text/event-stream",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      signal: abort.signal,
    });
    return new EventReader(response, abort);
  }

  /** The next block of lines: an event, a comment, or a wish about reconnecting. Null at the end. */
  async block(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end !== -1) {
        const block = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return block;
      }
      const piece = await this.#pieces.next();
      if (piece.done === true) return null;
      this.#rest += this.#decoder.decode(piece.value, { stream: true });
    }
  }

  /** The next event; null at the end. */
  async next(): Promise<Received | null> {
    for (let block = await this.block(); block !== null; block = await this.block()) {
      const fields = new Map(
        block.split("\n").map((line) => [line.split(":", 1)[0], line.replace(/^\w*: ?/, "")]),
      );
      const data = fields.get("data");
      if (data !== undefined)
        return { name: fields.get("event") ?? "message", id: fields.get("id") ?? "", data };
    }
    return null;
  }

  /** The next changes, whose ids must be those of their events. */
  async changes(count: number): Promise<ChangeRecord[]> {
    const changes: ChangeRecord[] = [];
    while (changes.length < count) {
      const event = await this.next();
      if (event === null) throw new Error(`the stream ended after ${changes.length} changes, not ${count}`);
      const change: ChangeRecord = JSON.parse(event.data);
      expect(event.id).toBe(change.id);
      changes.push(change);
    }
    return changes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#pieces.return?.().catch(() => {});
  }
}

/** A page of changes. */
interface ChangesPage {
  readonly data: readonly ChangeRecord[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** A page of changes. The query has no `?`. */
export function changesPage(client: Client, query: string): Promise<ChangesPage> {
  return client.get<ChangesPage>(`/v0/changes?${query}`);
}

/** All changes after a cursor, on pages of this length. */
export async function allChanges(client: Client, query: string, limit = 100): Promise<ChangeRecord[]> {
  const changes: ChangeRecord[] = [];
  let cursor = "";
  for (;;) {
    const page = await changesPage(client, `${query}&limit=${limit}${cursor}`);
    changes.push(...page.data);
    if (!page.has_more) return changes;
    cursor = `&cursor=${page.next_cursor}`;
  }
}
