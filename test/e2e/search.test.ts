import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Agent, provision, type Server, serve } from "../support/server/executable.ts";
import { eventually } from "../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

async function found(server: Server, { key }: Pick<Agent, "key">, text: string): Promise<string[]> {
  const { data } = await server
    .client(key)
    .get<{ data: { path: string }[] }>(`/v0/search?limit=1000&q=${encodeURIComponent(text)}`);
  return data.map(({ path }) => path).toSorted();
}

test("the executable searches, and indexes what it was killed before it had indexed", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using server = await serve(place);
  const agent = await provision(server);
  const put = (path: string, body: string) => agent.client.put(agent.drive, path, body);
  await put("first.txt", "needle");
  // A search waits for what was just written, though not for as long as some machines may take.
  await eventually(async () => (await found(server, agent, "needle")).length > 0);
  const names = Array.from({ length: 20 }, (_, number) => `${number}.txt`);
  await Promise.all(names.map((name) => put(name, `needle ${"hay ".repeat(100_000)}`)));
  await server.kill();
  await using again = await serve(place);
  using sql = new Sqlite(join(place.dataDir, "coffer.db"), { readonly: true });
  await eventually(() => sql.query("SELECT 1 FROM search_job LIMIT 1").get() === null);
  expect(await found(again, agent, "needle")).toEqual([...names, "first.txt"].toSorted());
  expect(await found(again, agent, "txt")).toHaveLength(21);
  expect(await again.stop()).toBe(0);
});
