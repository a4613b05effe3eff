import { expect, test } from "bun:test";
import { systemClock } from "../../../src/process/clock.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { RequestContext } from "../../../src/http/gate/request-context.ts";
import { chunksOf } from "../../../src/http/upload/upload-body.ts";
import { RawClient } from "../raw-client.ts";

const KIB = 1024;

/** A server that reads bodies, and answers how many chunks and bytes came, or why it stopped. */
function startReading(limit: number) {
  const begun = Promise.withResolvers<void>();
  const read = async (request: Request, server: Bun.Server<undefined>) => {
    const context = new RequestContext(request, server, {
      clientOf: () => "test",
      isTrustedPeer: () => false,
      cutSocket: () => false,
      beginAttempt: () => {
        throw new Error("nothing is written");
      },
    });
    let [chunks, bytes] = [0, 0];
    begun.resolve();
    for await (const chunk of chunksOf(request, context, { limit, pace: { clock: systemClock, least: 0 } })) {
      chunks += 1;
      bytes += chunk.length;
    }
    return { chunks, bytes };
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request, self) => {
      try {
        return Response.json(await read(request, self));
      } catch (error) {
        if (!(error instanceof CofferError)) throw error;
        return Response.json(error.code);
      }
    },
  });
  return {
    client: () => RawClient.to(server.port ?? 0),
    begun: begun.promise,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Sends a body in two parts, the second once reading has begun. Returns the answer. */
async function sent(length: number, limit: number): Promise<unknown> {
  await using server = startReading(limit);
  using client = await server.client();
  const [first, second] = ["x".repeat(length - 1), "x"];
  await client.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${first}`);
  await server.begun;
  await client.write(second);
  return (await client.response()).body;
}

test("a short body is one chunk, however it arrives", async () => {
  expect(await sent(10, 10)).toEqual({ chunks: 1, bytes: 10 });
  expect(await sent(32 * KIB, 32 * KIB)).toEqual({ chunks: 1, bytes: 32 * KIB });
});

test("a longer body is passed on as it arrives", async () => {
  const length = 32 * KIB + 1;
  expect(await sent(length, length)).toEqual({ chunks: expect.any(Number), bytes: length });
});

test.each([10, 40 * KIB])("a body of %d bytes is refused above the limit", async (length) => {
  expect(await sent(length, length - 1)).toBe("PAYLOAD_TOO_LARGE");
});
