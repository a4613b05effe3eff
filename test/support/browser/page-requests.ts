/**
 * Requests of the dashboard's code in this process. Their addresses have no host, as in a page, so they go to one
 * server, with one key in the place of a session. Until it is disposed of, `fetch` is its own.
 */
export class PageRequests implements Disposable {
  /** Each request until now, such as `GET /v0/files?drive_id=…`. */
  readonly sent: string[] = [];
  readonly #fetch = globalThis.fetch;
  #held: { readonly pattern: RegExp; readonly come: () => void; readonly until: Promise<void> } | null = null;
  #refused: RegExp | null = null;

  constructor(home: string, key: string) {
    const send = async (path: unknown, init: RequestInit = {}): Promise<Response> => {
      const request = `${init.method ?? "GET"} ${String(path)}`;
      this.sent.push(request);
      if (this.#refused?.test(request) === true) {
        this.#refused = null;
        const error = { code: "INTERNAL", message: "On fire." };
        return Response.json({ error }, { status: 500 });
      }
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${key}`);
      const answer = await this.#fetch(new URL(String(path), home), { ...init, headers });
      if (this.#held?.pattern.test(request) === true) {
        this.#held.come();
        await this.#held.until;
      }
      return answer;
    };
    globalThis.fetch = Object.assign(send, { preconnect: () => {} });
  }

  /** The requests for lists since `sent` was this long. */
  listsSince(length: number): string[] {
    return this.sent.slice(length).filter((request) => /^GET \/v0\/(?:files|folders)\?/.test(request));
  }

  /** Keeps the answers to such requests, once they have come, until they are released. */
  hold(pattern: RegExp): { readonly come: Promise<void>; readonly release: () => void } {
    const [come, until] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#held = { pattern, come: come.resolve, until: until.promise };
    const release = () => {
      this.#held = null;
      until.resolve();
    };
    return { come: come.promise, release };
  }

  /** Refuses the next such request: "On fire." */
  refuseNext(pattern: RegExp): void {
    this.#refused = pattern;
  }

  [Symbol.dispose](): void {
    globalThis.fetch = this.#fetch;
  }
}
