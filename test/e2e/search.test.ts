import { expect, test } from "bun:test";
import { isFound } from "../support/server/drives.ts";
import { provision, serve } from "../support/server/executable.ts";
import { settledIndex } from "../support/server/settled-index.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

test("the executable searches, and indexes what it was killed before it had indexed", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using server = await serve(place);
  const agent = await provision(server);
  const put = (path: string, body: string) => agent.client.put(agent.drive, path, body);
  await put("first.txt", "needle");
  await isFound(agent, "needle", 1);
  const names = Array.from({ length: 20 }, (_, number) => `${number}.txt`);
  await Promise.all(names.map((name) => put(name, `needle ${"hay ".repeat(100_000)}`)));
  await server.kill();
  await using again = await serve(place);
  await settledIndex(place.dataDir);
  const found = (text: string) => again.client(agent.key).paths(`/v0/search?limit=1000&q=${text}`);
  expect((await found("needle")).toSorted()).toEqual([...names, "first.txt"].toSorted());
  expect(await found("txt")).toHaveLength(21);
  expect(await again.stop()).toBe(0);
});
