import { expect, test } from "bun:test";
import { createLog } from "../../../src/process/log.ts";
import { QueryVectors } from "../../../src/services/search/query-vectors.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";

/** Something that takes connections in the place of an endpoint. */
function serve(fetch: () => Response | Promise<Response>) {
  const asked: true[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked.push(true);
      return fetch();
    },
  });
  const lines: string[] = [];
  const log = createLog({ format: "json", clock: new FakeClock(), write: (line) => void lines.push(line) });
  const vectors = new QueryVectors({ embeddings: { url: server.url.href, model: "m", key: null }, log });
  return { vectors, asked, lines, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("an endpoint that does not answer in time is left alone for a while", async () => {
  await using silent = serve(() => new Promise(() => {}));
  expect(await silent.vectors.of("words", 250)).toBeNull();
  expect(await silent.vectors.of("words", 60_000)).toBeNull();
  expect([silent.asked.length, silent.lines.length]).toEqual([1, 1]);
});

test.each<[name: string, answer: unknown]>([
  ["nothing", null],
  ["no list", { data: {} }],
  ["two vectors", { data: [{ embedding: [1] }, { embedding: [1] }] }],
  ["words", { data: [{ embedding: ["1"] }] }],
  ["zeros", { data: [{ embedding: [0, 0] }] }],
])("an answer of %s is no vector", async (_, answer) => {
  await using odd = serve(() => Response.json(answer));
  expect(await odd.vectors.of("words", 60_000)).toBeNull();
  expect(odd.lines).toHaveLength(1);
});

test("a redirect is not followed: the key is for nobody else", async () => {
  await using other = serve(() => Response.json({ data: [{ embedding: [1] }] }));
  expect(await other.vectors.of("words", 60_000)).toMatchObject({ model: "m" });
  await using moved = serve(() => Response.redirect("http://127.0.0.1:9/", 307));
  expect(await moved.vectors.of("words", 60_000)).toBeNull();
});
