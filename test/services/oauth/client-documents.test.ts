import { describe, expect, test } from "bun:test";
import { OAuthError } from "../../../src/domain/oauth/oauth-client.ts";
import { createLog } from "../../../src/process/log.ts";
import { ClientDocuments } from "../../../src/services/oauth/clients.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { startTlsServer } from "../../support/peers/tls-server.ts";

const REDIRECT_URIS = ["https://app.example/callback"];

/** A server of one document, and what reads it. `answer` makes the response of its own address. */
async function start(
  answer: (url: string) => Response | Promise<Response>,
  isAllowed: (address: string) => boolean = () => true,
) {
  const server = await startTlsServer(({ url }) => answer(url));
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLog({ format: "json", clock, write: (line) => void lines.push(line) });
  const documents = new ClientDocuments({ clock, log, publicNetwork: { isAllowed, ca: server.ca } });
  const get = (path = "/client.json") => documents.get(server.url(path).href);
  return { server, clock, lines, get, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** The document of a client, with changes. */
function documentOf(url: string, changes: object = {}, headers: Record<string, string> = {}): Response {
  const document = { client_id: url, client_name: "Example App", redirect_uris: REDIRECT_URIS, ...changes };
  return Response.json(document, { headers });
}

test("a client's document says what it is called and where answers go", async () => {
  await using world = await start((url) => documentOf(url));
  expect(await world.get()).toEqual({ name: "Example App", redirectUris: REDIRECT_URIS });
});

describe("a document is kept", () => {
  test.each<[what: string, cacheControl: string | undefined, seconds: number]>([
    ["as long as it says", "public, max-age=60", 60],
    ["for a while if it does not say", undefined, 300],
    ["for a day at the most", "max-age=999999999", 24 * 60 * 60],
  ])("%s", async (_, cacheControl, seconds) => {
    const headers: Record<string, string> =
      cacheControl === undefined ? {} : { "cache-control": cacheControl };
    await using world = await start((url) => documentOf(url, {}, headers));
    await world.get();
    world.clock.advance(seconds * 1000 - 1);
    await world.get();
    expect(world.server.asked).toHaveLength(1);
    world.clock.advance(1);
    await world.get();
    expect(world.server.asked).toHaveLength(2);
  });

  test.each(["no-store", "max-age=0", "private, no-cache"])("not at all with %s", async (cacheControl) => {
    await using world = await start((url) => documentOf(url, {}, { "cache-control": cacheControl }));
    await world.get();
    await world.get();
    expect(world.server.asked).toHaveLength(2);
  });

  test("once for all who ask at the same time", async () => {
    await using world = await start((url) => documentOf(url));
    await Promise.all(Array.from({ length: 30 }, () => world.get()));
    expect(world.server.asked).toHaveLength(1);
  });

  test("if it is right: a server that was down is asked again", async () => {
    let isUp = false;
    await using world = await start((url) => (isUp ? documentOf(url) : new Response("no", { status: 500 })));
    expect(await world.get().catch(String)).toContain("does not answer 200");
    isUp = true;
    expect((await world.get()).name).toBe("Example App");
  });
});

describe("a document is refused", () => {
  test.each<[what: string, answer: (url: string) => Response]>([
    ["of another client", (url) => documentOf(`${url}x`)],
    ["without its address", (url) => documentOf(url, { client_id: undefined })],
    ["that is not there", () => new Response("{}", { status: 404 })],
    [
      "that is somewhere else",
      (url) => new Response(null, { status: 302, headers: { location: url.replace("client", "other") } }),
    ],
    ["that is no JSON by its type", (url) => new Response(JSON.stringify({ client_id: url }))],
    ["that is no JSON", () => new Response("{", { headers: { "content-type": "application/json" } })],
    ["that is a list", () => Response.json([])],
    ["without redirect URIs", (url) => documentOf(url, { redirect_uris: [] })],
    ["with a redirect URI that runs", (url) => documentOf(url, { redirect_uris: ["javascript:alert(1)"] })],
    ["that is long", (url) => documentOf(url, { more: "x".repeat(20_000) })],
  ])("%s", async (_, answer) => {
    await using world = await start(answer);
    expect(await world.get().catch((error: unknown) => error)).toBeInstanceOf(OAuthError);
    // Nothing else was asked for.
    expect(world.server.asked).toEqual(["/client.json"]);
  });

  test("at a private address, by the same words as one that is not there", async () => {
    await using world = await start(
      (url) => documentOf(url),
      () => false,
    );
    const refused = await world.get().catch(String);
    expect(world.server.asked).toEqual([]);
    await world.server[Symbol.asyncDispose]();
    expect(await world.get().catch(String)).toBe(refused);
    expect(world.lines.join("\n")).toContain("no public address");
  });
});

test("only so many documents are fetched at once, and the rest can be asked for later", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using world = await start((url) => promise.then(() => documentOf(url)));
  const asking = Array.from({ length: 20 }, (_, n) => world.get(`/${n}`));
  expect(await world.get("/more").catch(String)).toContain("too many others");
  resolve();
  expect(await Promise.all(asking)).toHaveLength(20);
  expect((await world.get("/more")).name).toBe("Example App");
});
