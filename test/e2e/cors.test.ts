import { expect, test } from "bun:test";
import { borrowBrowser, newWindow, signInto, startSite } from "../support/browser/browser.ts";
import { serve, signUp } from "../support/server/executable.ts";

interface Reply {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

/** A script that sends a request and gives what a page sees of the response; `refused` if the browser shows none. */
function sending(url: string, init: RequestInit): string {
  return `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
    .then(async (r) => ({ status: r.status, etag: r.headers.get("etag"), text: await r.text() }))
    .catch(() => "refused")`;
}

test("a page of another origin works with a key, and never with the session of whoever looks at it", async () => {
  await using server = await serve();
  await using borrowed = await borrowBrowser();
  const { key } = await signUp(server, "ada");
  // Another port of the same host is another origin, but the same site: browsers would send it the cookie.
  using elsewhere = startSite("<!doctype html>");
  const context = await newWindow(borrowed.browser);
  await signInto(context, server.url, "ada");
  const page = await context.newPage();
  await page.goto(elsewhere.url.href);
  const ask = (path: string, init: RequestInit = {}) =>
    page.evaluate<Reply | "refused">(sending(server.url + path, init));
  const authorization = `Bearer ${key}`;

  const made = await ask("/v0/drives", {
    method: "POST",
    headers: { authorization, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    body: JSON.stringify({ name: "From a page" }),
  });
  expect(made).toMatchObject({ status: 201 });
  const { data: drive }: { data: { id: string } } = JSON.parse(made === "refused" ? "" : made.text);
  const stored = await ask(`/v0/files?drive_id=${drive.id}&path=a.txt`, {
    method: "PUT",
    headers: { authorization, "if-none-match": "*" },
    body: "Hello",
  });
  expect(stored).toMatchObject({ status: 201, etag: expect.stringMatching(/^"[0-9a-f]{64}"$/) });
  expect(await ask("/v0/nothing", { headers: { authorization } })).toMatchObject({ status: 404 });

  // With the cookie the browser shows nothing; without it there is no session.
  expect(await ask("/v0/drives", { credentials: "include" })).toBe("refused");
  expect(await ask("/v0/drives")).toMatchObject({ status: 401 });
  expect(await ask("/auth/logout", { method: "POST", credentials: "include" })).toBe("refused");
  expect(await ask("/docs/openapi.json")).toMatchObject({ status: 200 });
  await page.goto(`${server.url}/drives`);
  await page.getByText("From a page").first().waitFor();
});
