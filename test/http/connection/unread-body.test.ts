import { expect, test } from "bun:test";
import { discardUnread, type UnreadLimits } from "../../../src/http/connection/body.ts";
import { RawClient } from "../raw-client.ts";

const HEAD = "PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

/** A server that wants no body; what `discardUnread` said of the first one. */
function startRefusing(limits: UnreadLimits) {
  const outcome = Promise.withResolvers<boolean | null>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const discarded = await discardUnread(request, limits);
      outcome.resolve(discarded);
      return Response.json({ discarded });
    },
  });
  return {
    client: () => RawClient.to(server.port ?? 0),
    outcome: outcome.promise,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const LONG = `${HEAD}Transfer-Encoding: chunked\r\n\r\n7d0\r\n${"x".repeat(2000)}\r\n`;
const WHOLE = [`${HEAD}Content-Length: 1000\r\n\r\n${"x".repeat(999)}`, "x"];
test.each<[name: string, pieces: string[], discarded: boolean | null, ms?: number]>([
  [
    "a body that comes too slowly is waited for no longer than the limit",
    [`${HEAD}Content-Length: 100\r\n\r\nx`],
    false,
    50,
  ],
  ["a body that is longer than the limit is read no further", [LONG], false],
  ["a body within the limits is read to its end", WHOLE, true],
  [
    "a connection that stays open is answered at once",
    ["PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"],
    null,
  ],
  ["a request without a body is answered at once", [`${HEAD}Content-Length: 0\r\n\r\n`], null],
])("%s", async (_, pieces, discarded, ms = 60_000) => {
  await using server = startRefusing({ bytes: 1000, ms });
  using client = await server.client();
  for (const piece of pieces) await client.write(piece);
  expect((await client.response()).body).toEqual({ discarded });
});

test("a client that leaves is waited for no longer", async () => {
  await using server = startRefusing({ bytes: 1000, ms: 60_000 });
  using client = await server.client();
  await client.write(`${HEAD}Content-Length: 100\r\n\r\nx`);
  client.close();
  expect(await server.outcome).toBe(false);
});
