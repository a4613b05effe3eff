import { expect, test } from "bun:test";
import { discardUnread } from "../../../src/http/connection/body.ts";
import { RawClient } from "../raw-client.ts";

const HEAD = "PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
const LONG = `${HEAD}Transfer-Encoding: chunked\r\n\r\n7d0\r\n${"x".repeat(2000)}\r\n`;
const CUT = `${HEAD}Content-Length: 100\r\n\r\nx`;
const WHOLE = [`${HEAD}Content-Length: 1000\r\n\r\n${"x".repeat(999)}`, "x"];
const OPEN = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n";

test.each<[name: string, pieces: string[], discarded: boolean | null, ms?: number, leaves?: boolean]>([
  ["a body that comes too slowly is waited for no longer than the limit", [CUT], false, 50],
  ["a body that is longer than the limit is read no further", [LONG], false],
  ["a body within the limits is read to its end", WHOLE, true],
  ["a connection that stays open is answered at once", [OPEN], null],
  ["a request without a body is answered at once", [`${HEAD}Content-Length: 0\r\n\r\n`], null],
  ["a client that leaves is waited for no longer", [CUT], false, 60_000, true],
])("%s", async (_, pieces, discarded, ms = 60_000, leaves = false) => {
  const outcome = Promise.withResolvers<boolean | null>();
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      outcome.resolve(await discardUnread(request, { bytes: 1000, ms }));
      return Response.json("answered");
    },
  });
  using client = await RawClient.to(server.port ?? 0);
  for (const piece of pieces) await client.write(piece);
  if (leaves) client.close();
  else expect((await client.response()).body).toBe("answered");
  expect(await outcome.promise).toBe(discarded);
});
