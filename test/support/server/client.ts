/** A response, read completely. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

type Body = Json | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** What a request has besides its method and path. A `body` that is not text or bytes is sent as JSON. */
export interface RequestOptions {
  readonly body?: Body;
  readonly headers?: Record<string, string>;
}

/** Calls the API as an agent does, with one key. */
export class Client {
  readonly base: string;
  readonly key: string | undefined;

  constructor(base: string, key?: string) {
    this.base = base;
    this.key = key;
  }

  /** Sends a request and returns the response, unread. */
  fetch(method: string, path: string, { body, headers = {} }: RequestOptions = {}): Promise<Response> {
    const authorization: Record<string, string> =
      this.key === undefined ? {} : { authorization: `Bearer ${this.key}` };
    const isRaw =
      body === undefined ||
      typeof body === "string" ||
      body instanceof Uint8Array ||
      body instanceof ReadableStream;
    return fetch(this.base + path, {
      method,
      redirect: "manual",
      headers: { ...authorization, ...headers },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
  }

  async send(method: string, path: string, options?: RequestOptions): Promise<Answer> {
    const response = await this.fetch(method, path, options);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The status of an answer, where nothing else of it matters. */
  async status(...request: Parameters<Client["send"]>): Promise<number> {
    return (await this.send(...request)).status;
  }

  /** Sends a request that must succeed with `status`. Returns the JSON of the response. */
  async json<T = Record<string, never>>(
    status: number,
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<T> {
    const answer = await this.send(method, path, options);
    if (answer.status !== status)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}, not ${status}`);
    return JSON.parse(answer.text);
  }

  /** Reads what must be there. */
  get<T = Record<string, never>>(path: string): Promise<T> {
    return this.json<T>(200, "GET", path);
  }

  /** The paths that a page of a list shows. */
  async paths(path: string): Promise<string[]> {
    const { data } = await this.get<{ data: { path: string }[] }>(path);
    return data.map((each) => each.path);
  }

  /** All pages of a list, by their cursors. The path has a query. */
  async pages<T extends { readonly next_cursor: string | null }>(path: string): Promise<T[]> {
    const pages: T[] = [];
    for (let after = ""; ;) {
      const page = await this.get<T>(path + after);
      pages.push(page);
      if (page.next_cursor === null) return pages;
      after = `&cursor=${page.next_cursor}`;
    }
  }

  /** Sends what must be accepted; without a body if none is given. */
  post<T = Record<string, never>>(path: string, body?: Json, status = 201): Promise<T> {
    return this.json<T>(status, "POST", path, body === undefined ? {} : { body });
  }

  patch<T = Record<string, never>>(path: string, body: Json): Promise<T> {
    return this.json<T>(200, "PATCH", path, { body });
  }

  delete<T = Record<string, never>>(path: string, body?: Json): Promise<T> {
    return this.json<T>(200, "DELETE", path, body === undefined ? {} : { body });
  }

  /** Uploads raw bytes to a path, by default as a new file. `query` goes on with `&`. Returns the file's record. */
  put<T = { id: string }>(
    drive: string,
    path: string,
    body: Body = "x",
    status = 201,
    query = "",
  ): Promise<T> {
    const target = `/v0/files?drive_id=${drive}&path=${encodeURIComponent(path)}${query}`;
    return this.json<T>(status, "PUT", target, { body });
  }

  /** Uploads raw bytes to a path, where a file may be already. `query` goes on with `&`. Returns the file's id. */
  async store(drive: string, path: string, body: Body = "x", query = ""): Promise<string> {
    const target = `/v0/files?drive_id=${drive}&path=${encodeURIComponent(path)}${query}`;
    const { status, text } = await this.send("PUT", target, { body });
    if (status !== 200 && status !== 201) throw new Error(`PUT ${target}: ${status} ${text}`);
    const { id }: { id: string } = JSON.parse(text);
    return id;
  }

  /** Creates a drive. */
  async makeDrive(name: string): Promise<{ id: string; slug: string }> {
    type Made = { data: { id: string; slug: string } };
    return (await this.post<Made>("/v0/drives", { name })).data;
  }

  /** Creates a key, by default a copy of one's own. */
  makeKey<T = { id: string; key: string }>(body: Json = {}): Promise<T> {
    return this.post<T>("/v0/keys", body);
  }
}
