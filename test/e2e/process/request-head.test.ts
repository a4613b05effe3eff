import { expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import { serve } from "../../support/server/executable.ts";

test("the executable itself refuses a head of 60 KB, which the runtime would answer without a body", async () => {
  await using server = await serve();
  const client = await RawClient.to(server.port);
  await client.write(`GET /healthz HTTP/1.1\r\nHost: n\r\nX-Long: ${"a".repeat(60_000)}\r\n\r\n`);
  expect(await client.response()).toMatchObject({
    status: 431,
    body: { error: { code: "HEADERS_TOO_LARGE", request_id: expect.any(String) } },
  });
  client.close();
});
