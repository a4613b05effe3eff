import { expect, test } from "bun:test";
import { systemClock } from "../../../src/process/clock.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { chunksOf } from "../../../src/http/upload/upload-body.ts";
import { RawClient } from "../raw-client.ts";
import { contextOf } from "../stub-app.ts";

const KIB = 1024;

/** Sends a body in two parts, the second once reading has begun. How many chunks and bytes came, or why not all. */
async function sent(length: number, limit: number): Promise<unknown> {
  const begun = Promise.withResolvers<void>();
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request, self) => {
      const pace = { clock: systemClock, least: 0 };
      let [chunks, bytes] = [0, 0];
      begun.resolve();
      try {
        for await (const chunk of chunksOf(request, contextOf(request, self), { limit, pace })) {
          chunks += 1;
          bytes += chunk.length;
        }
        return Response.json({ chunks, bytes });
      } catch (error) {
        if (!(error instanceof CofferError)) throw error;
        return Response.json(error.code);
      }
    },
  });
  using client = await RawClient.to(server.port ?? 0);
  const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  await client.write(head + "x".repeat(length - 1));
  await begun.promise;
  await client.write("x");
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
