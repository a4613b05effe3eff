import { expect, test } from "bun:test";
import { provision, serve } from "../support/server/executable.ts";

test("the executable has the thread that searches lines", async () => {
  await using server = await serve();
  const { client, drive } = await provision(server);
  await client.put(drive, "f.txt", "one\ntwo\n");
  expect(await client.get<object>("/v0/grep?pattern=%5Et.o")).toMatchObject({
    data: [{ path: "f.txt", matches: [{ line_number: 2, line: "two" }] }],
  });
  expect(await server.stop()).toBe(0);
});
