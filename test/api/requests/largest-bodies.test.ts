import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";
import type { Answer, RequestOptions } from "../../support/server/client.ts";
import { ANONYMOUS_LIMIT, type BodyRoute, bodyRoutes } from "../../support/samples/described-bodies.ts";
import { Description } from "../../support/schemas/description.ts";
import { hostileBodies } from "../../support/samples/hostile-bodies.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { excessOf } from "../../../src/http/json/json-text.ts";
import { isThorough } from "../../support/server/thorough.ts";

/**
 * Counts what JSON costs: each value that is parsed, and each that is listed by `Object.values` and its like. What
 * does this by the hundred thousand holds up everybody else.
 */
class WorkMeter implements Disposable {
  #units = 0;
  readonly #spies = new DisposableStack();

  constructor() {
    const parse = JSON.parse;
    this.#spies.use(
      spyOn(JSON, "parse").mockImplementation((text, reviver) => {
        this.#units += Math.max(1, text.match(/[,:[{]/g)?.length ?? 0);
        return parse(text, reviver);
      }),
    );
    const { keys, values, entries } = Object;
    this.#spies.use(spyOn(Object, "keys").mockImplementation((of: object) => this.#count(keys(of))));
    this.#spies.use(spyOn(Object, "values").mockImplementation((of: object) => this.#count(values(of))));
    this.#spies.use(spyOn(Object, "entries").mockImplementation((of: object) => this.#count(entries(of))));
  }

  /** The units since the last call, beyond those that one body may cost. */
  excess(): number {
    const excess = Math.max(0, this.#units - MOST_ITEMS * LOOKED_AT);
    this.#units = 0;
    return excess;
  }

  [Symbol.dispose](): void {
    this.#spies.dispose();
  }

  #count<T>(list: T[]): T[] {
    this.#units += list.length;
    return list;
  }
}

/** Values and names in one body, at most, which each is looked at a few times. */
const MOST_ITEMS = 10_000;
const LOOKED_AT = 8;

const coffer = await startWithAda();
const { browser } = beginSession(coffer, "ada");
const routes = bodyRoutes(await Description.of(coffer.client()));
afterAll(() => coffer[Symbol.asyncDispose]());

/** By whoever may send the most there. MCP takes no sessions. */
async function sendAsCaller({ operation, path }: BodyRoute, options: RequestOptions): Promise<Answer> {
  coffer.clock.advance(3_600_000);
  if (operation.id !== "mcp") return browser.send(operation.method, path, options);
  const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
  return coffer.client(secret).send(operation.method, path, options);
}

function sendAsNobody({ operation, path }: BodyRoute, options: RequestOptions): Promise<Answer> {
  coffer.clock.advance(3_600_000);
  return coffer.client().send(operation.method, path, options);
}

function code({ text }: Answer): string {
  const { error } = JSON.parse(text);
  return typeof error === "string" ? error : error.code;
}

test("every route refuses a body that is longer than it says", async () => {
  expect(routes.length).toBeGreaterThan(40);
  for (const route of routes) {
    const body = "x".repeat(route.limit + 1);
    const whole = await sendAsCaller(route, { body });
    const streamed = await sendAsCaller(route, { body: new Blob([body]).stream() });
    expect([route.operation.id, whole.status, streamed.status]).toEqual([route.operation.id, 413, 413]);
  }
});

test("without a key no route takes more than 16 KiB", async () => {
  for (const route of routes.filter(({ operation }) => !operation.isGuarded)) {
    const answer = await sendAsNobody(route, { body: "x".repeat(ANONYMOUS_LIMIT + 1) });
    expect([route.operation.id, answer.status]).toEqual([route.operation.id, 413]);
    const shorter = await sendAsNobody(route, { body: "x".repeat(ANONYMOUS_LIMIT) });
    expect([route.operation.id, shorter.status]).not.toEqual([route.operation.id, 413]);
  }
});

describe("the largest body of every route costs little, whatever is in it", () => {
  test("of a caller", async () => {
    using meter = new WorkMeter();
    for (const [n, route] of routes.entries()) {
      for (const [at, [shape, body]] of [...hostileBodies(route.limit)].entries()) {
        // An ordinary run tries every other one of a route, and those between of the next.
        if (!isThorough() && (at + n) % 2 === 1) continue;
        meter.excess();
        const { status } = await sendAsCaller(route, { body });
        const what = `${route.operation.id}, ${shape}`;
        expect([what, status < 500 && status !== 413, meter.excess()]).toEqual([what, true, 0]);
      }
    }
  });

  test("of an upload's fields, and of what is in a form", async () => {
    using meter = new WorkMeter();
    for (const [shape, body] of hostileBodies(256 * 1024)) {
      for (const type of ["application/json", "multipart/form-data; boundary=b"]) {
        meter.excess();
        const part = `--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n${body}\r\n--b--\r\n`;
        const sent = { body: type.startsWith("m") ? part : body, headers: { "content-type": type } };
        const answer = await browser.send("POST", "/v0/files", sent);
        const excess = meter.excess();
        expect([shape, type, code(answer), excess]).toEqual([shape, type, "VALIDATION_ERROR", 0]);
      }
    }
  });
});

test("the longest metadata goes through every door, as tight or as wide as it is written", async () => {
  const client = await accountClient(coffer, "ada");
  const drive = await client.makeDrive("Metadata");
  // 16 KiB, with as many values as that can hold.
  const metadata = { z: Array<number>(8188).fill(0) };
  const body = { drive_id: drive.id, filename: "a", content: "", metadata };
  const { id } = await client.post<{ id: string }>("/v0/files", body);
  const wide = JSON.stringify({ metadata, tags: ["a"] }, null, 8);
  const changed = await client.patch<{ metadata: unknown }>(`/v0/files/${id}`, wide);
  expect(changed.metadata).toEqual(metadata);
});

test("a megabyte of text may have many escapes, but not consist of them", () => {
  expect(excessOf(JSON.stringify(["a line\n".repeat(140_000)]), 2)).toBeNull();
  expect(excessOf(JSON.stringify(["\n".repeat(300_000)]), 2)).toBe("escapes");
});

test.each([
  ['["a\\",b,c", "d,e", "f"]', 4],
  ['["a,b", "c\\\\", "d\\"", "e,f"]', 5],
  ['{"a,b": "c\\u002c,", "d": []}', 5],
])("what is in a text is no item: %s", (text, items) => {
  expect([excessOf(text, items), excessOf(text, items - 1)]).toEqual([null, "items"]);
});

test("an MCP message has few names where the SDK looks at each several times", async () => {
  const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
  const many = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`k${i}`, 0]));
  for (const params of [many, { name: "list_files", arguments: many }, { _meta: many }]) {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const answer = await coffer.client(secret).send("POST", "/mcp", { body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("an object of at most")]);
  }
});

test("others have their turn between what is done with a long body", async () => {
  const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
  const text = `a long text${"x".repeat(100_000)}`;
  let turns = 0;
  const parse = JSON.parse;
  using parsed = spyOn(JSON, "parse").mockImplementation((sent, reviver) => {
    if (sent.includes(text)) setImmediate(() => (turns = 1));
    return parse(sent, reviver);
  });
  // The first thing that is done with the text.
  using looked = spyOn(String.prototype, "isWellFormed").mockImplementation(function (this: string) {
    if (this.length === text.length) turns += 10;
    return true;
  });
  const body = { op: "append", text };
  const path = `/v0/files/${Bun.randomUUIDv7()}/edit`;
  const { status } = await coffer.client(secret).send("POST", path, { body });
  expect([status, parsed.mock.calls.length > 0, looked.mock.calls.length > 0]).toEqual([404, true, true]);
  expect(turns).toBe(11);
});
