interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

/** The last page of a browser, and the way to it. */
export interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  /** Every requested address, including the last one. */
  readonly trail: readonly URL[];
}

/** A browser's cookies, redirects and plain forms, as far as sign-in needs them. */
export class CookieJar {
  /** By host, path and name. */
  readonly #cookies = new Map<string, Cookie>();

  /** One request. Redirects are not followed. */
  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url);
    const headers = new Headers(init.headers);
    const cookie = this.header(target);
    if (cookie !== "") headers.set("cookie", cookie);
    const response = await fetch(target, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(target, line);
    return response;
  }

  /** Follows redirects while `goesOn` returns true for the next address. */
  async visit(
    url: string | URL,
    init: RequestInit = {},
    goesOn: (next: URL) => boolean = () => true,
  ): Promise<Visit> {
    const trail = [new URL(url)];
    let response = await this.fetch(url, init);
    for (;;) {
      const current = trail.at(-1) ?? new URL(url);
      const text = await response.text();
      const location = response.headers.get("location");
      const next = location === null ? null : new URL(location, current);
      if (next === null || !goesOn(next))
        return { url: next ?? current, status: response.status, text, trail };
      if (trail.push(next) > 20) throw new Error("a browser would have given up by now");
      response = await this.fetch(next);
    }
  }

  /** Sends the first form of a page, with these fields and its hidden ones. */
  submit(
    { url, text }: Visit,
    fields: Readonly<Record<string, string>>,
    goesOn?: (next: URL) => boolean,
  ): Promise<Visit> {
    const action = /<form[^>]*\saction="([^"]+)"/.exec(text)?.[1];
    if (action === undefined) throw new Error(`no form at ${url.href}:\n${text}`);
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...hidden.map(([, name = "", value = ""]): [string, string] => [name, value]),
      ...Object.entries(fields),
    ]);
    return this.visit(new URL(action, url), { method: "POST", body }, goesOn);
  }

  /** The `Cookie` header for a request to this address; empty if there are no cookies. */
  header(url: URL): string {
    return [...this.#cookies.values()]
      .filter(({ host, path }) => host === url.hostname && url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  /** The value of a cookie; null if there is none. */
  value(name: string): string | null {
    return [...this.#cookies.values()].find((cookie) => cookie.name === name)?.value ?? null;
  }

  /** Deletes all cookies. */
  forget(): void {
    this.#cookies.clear();
  }

  #keep(url: URL, line: string): void {
    const cookie = Bun.Cookie.parse(line);
    const { name, value, path } = cookie;
    const key = [url.hostname, path, name].join(" ");
    if (cookie.maxAge === 0 || cookie.isExpired() || value === "") this.#cookies.delete(key);
    else this.#cookies.set(key, { host: url.hostname, path, name, value });
  }
}
