import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import { HOSTILE_TEXTS } from "../../support/generated/hostile.ts";
import { isObject } from "../../support/schemas/json-schema.ts";
import { expectCommonRules, fill, fillJson, openStage } from "../../support/server/scenario.ts";
import { HELLO } from "../../support/server/uploads.ts";
import { describedApi, operationOf, ROUTES, type RouteRow } from "../../support/server/routes.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { Random } from "../../support/server/random.ts";
import { makeTarget, type Named } from "../../support/server/targets.ts";
import { isThorough } from "../../support/server/thorough.ts";

const stage = openStage({ "max-file-size": "1MiB" });

const SEED = 20300101;
/** Random requests beside those that try each value at each place. */
const RANDOM_REQUESTS = isThorough() ? 1500 : 500;
/** In an ordinary run, one of so many attempts is made at a route: another of them at the next. */
const SHARE = 12;
/** Requests that are under way together, for which there is one set of sound values. */
const AT_ONCE = 25;

// Several of them at once must fit into what the runtime takes as a request's head, 16 KiB.
const LONG = "x".repeat(1500);

/** What text a caller may send where text is expected. */
const HOSTILE_TEXT = [
  ...HOSTILE_TEXTS.filter((text) => text.isWellFormed()),
  "\u{1F600}",
  "\u{10FFFF}",
  "a/b/c/",
  "{id}",
  '"; DROP TABLE file; --',
  "W/",
  '""',
  "ada/notes",
  "9999-12-31T23:59:59.999Z",
  "-271821-04-20T00:00:00Z",
  "text/html",
  "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  LONG,
];

const NUMBERS = [0, -0, -1, 1.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 63];
const LISTS: Json[] = [[], [[]], [null], ["a", 1], ["", " ", "\u0000"]];

/** What JSON a caller may send where something else is expected; halves of surrogate pairs as well. */
const HOSTILE_JSON: Json[] = [
  ...HOSTILE_TEXT,
  ...NUMBERS,
  ...LISTS,
  "\ud800",
  "\udc00x",
  null,
  true,
  false,
  Array.from({ length: 1001 }, (_, i) => `${i}`),
  {},
  { a: { b: { c: [] } } },
  { toString: "x", constructor: null, length: -1 },
  { "": "", "\u0000": "\u0000" },
  { $ref: "#/x" },
  "x".repeat(100_000),
];

const HOSTILE_BODIES: (string | Uint8Array<ArrayBuffer>)[] = [
  "",
  " ",
  "{",
  "}",
  "[]",
  "null",
  "1",
  '""',
  "{}{}",
  '{"__proto__":{"x":1},"constructor":1}',
  '{"a":1,"a":2}',
  "[".repeat(100_000),
  `${"[".repeat(2000)}${"]".repeat(2000)}`,
  `{"content":"${"A".repeat(99_999)}`,
  `{"content":"${HELLO}","content":"${HELLO}"}`,
  `{"${"k".repeat(200_000)}":1}`,
  '{"content":"\\ud800"}',
  '{"content":"\\u00',
  '{"a":1e999999}',
  new Uint8Array([0xff, 0xfe, 0x7b]),
  new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
  new Uint8Array(1000),
  "a=b&c=d",
  "--x\r\n\r\n--x--",
];

/** Header values are bytes: what is beyond them no client can send. */
const HOSTILE_HEADERS = HOSTILE_TEXT.filter((text) => !/[^\x20-\x7e\x80-\xff]/.test(text));

/** Headers that any route gets; those a route describes are tried at it besides. */
const HEADERS = [
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
  "range",
  "content-type",
  "content-encoding",
  "idempotency-key",
  "x-request-id",
  "x-forwarded-for",
  "accept",
  "origin",
  "cookie",
];

/** One route and the places where it takes something, with a request to it that is as it should be. */
interface Route {
  readonly method: string;
  readonly template: string;
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly headers: readonly string[];
  /** The fields of its JSON body; null where it takes none. */
  readonly body: readonly string[] | null;
  readonly request: string;
  readonly more: NonNullable<RouteRow[2]>;
}

/** Values for one request; what is not in it is as it should be. */
interface Attempt {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, Json>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

const description = await describedApi();

/** The routes of `/v0`; those to sign in count wrong passwords, and have few places for anything hostile. */
const EACH = [...Map.groupBy(ROUTES, ([request]) => operationOf(description, request))].flatMap(
  ([operation, [row]]): Route[] => {
    const { method, path: template, parameters } = operation;
    const json = new Map(description.bodySchemas(operation)).get("application/json");
    const body = json === undefined ? null : Object.keys(json["properties"] ?? {});
    const places = { path: parameters.path, query: parameters.query, headers: parameters.header };
    const [request = "", , more = {}] = row ?? [];
    return template === "/v0" ? [] : [{ method, template, ...places, body, request, more }];
  },
);

async function send(route: Route, named: Named, attempt: Attempt): Promise<number> {
  const { body: sound, by } = route.more;
  const [sent = "", asked] = fill(route.request.replace(/^\w+ /, ""), named).split("?");
  const parts = sent.split("/");
  const path = route.template.split("/").map((part, at) => {
    const value = attempt.path?.[part.slice(1, -1)];
    return value === undefined ? parts[at] : encodeURIComponent(value);
  });
  const query = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(asked)), ...attempt.query });
  const filled = sound === undefined ? undefined : fillJson(sound, named);
  const { content, ...others } = isObject(filled) ? filled : {};
  // An upload has one of the two.
  const whole = content === undefined || "text" in (attempt.fields ?? {}) ? others : { ...others, content };
  const body = attempt.body ?? (route.body === null ? filled : { ...whole, ...attempt.fields });
  const target = path.join("/") + (query.size === 0 ? "" : `?${query.toString()}`);
  const { coffer, world } = stage;
  const ada = by === "session" ? beginSession(coffer, "ada").browser : world.clients.ada;
  const answer = await ada.send(route.method, target, {
    ...(body === undefined || route.method === "GET" ? {} : { body }),
    headers: { ...attempt.headers },
  });
  expectSound(answer, `${route.method} ${target.slice(0, 300)} ${JSON.stringify(attempt).slice(0, 300)}`);
  return answer.status;
}

function expectSound(answer: Answer, what: string): void {
  if (answer.status >= 500) throw new Error(`${what}: ${answer.status} ${answer.text}`);
  try {
    expectCommonRules("GET", answer);
  } catch (cause) {
    throw new Error(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`, { cause });
  }
}

/** What requests name, in a drive of Ada's, made anew for each place, since some routes take it away. */
async function prepare(...routes: Route[]): Promise<Named> {
  const { coffer, world } = stage;
  const client = world.clients.ada;
  const { id: drive } = await client.makeDrive("Target");
  const mentioned = JSON.stringify(routes);
  return makeTarget({ coffer, world, client, drive, path: "dir/file.txt" }, mentioned);
}

/** Everything that is tried at a route, one place at a time. */
function attemptsAt(route: Route): Attempt[] {
  return [
    ...route.path.flatMap((name) => HOSTILE_TEXT.map((value): Attempt => ({ path: { [name]: value } }))),
    ...route.query.flatMap((name) => HOSTILE_TEXT.map((value): Attempt => ({ query: { [name]: value } }))),
    ...(route.body ?? []).flatMap((name) =>
      HOSTILE_JSON.map((value): Attempt => ({ fields: { [name]: value } })),
    ),
    ...(route.body === null ? [] : HOSTILE_BODIES.map((body): Attempt => ({ body }))),
    ...route.headers.flatMap((name) =>
      HOSTILE_HEADERS.map((value): Attempt => ({ headers: { [name]: value } })),
    ),
  ];
}

/** The lines of the log that tell of a fault of ours. */
function faults(): string[] {
  return stage.coffer.lines.filter(
    (line) => line.includes('"level":"error"') || line.includes("request failed"),
  );
}

describe("no answer is a 5xx, and every refusal has its form", () => {
  test("what is sent beside the hostile values is accepted", async () => {
    const described = description.operations.filter(({ path }) => path.startsWith("/v0/"));
    expect(EACH).toHaveLength(described.length);
    for (const route of EACH) {
      const status = await send(route, await prepare(route), {});
      expect([route.method, route.template, status < 300]).toEqual([route.method, route.template, true]);
    }
  });

  test("each hostile value at each place of each route", async () => {
    for (const [n, route] of EACH.entries()) {
      const attempts = attemptsAt(route).filter((_, at) => isThorough() || (at + n) % SHARE === 0);
      let named = await prepare(route);
      for (let at = 0; at < attempts.length; at += AT_ONCE) {
        // Reading takes nothing away.
        if (at > 0 && route.method !== "GET") named = await prepare(route);
        await Promise.all(attempts.slice(at, at + AT_ONCE).map((attempt) => send(route, named, attempt)));
      }
    }
    expect(faults()).toEqual([]);
    const { text } = await stage.world.clients.ada.send("GET", "/readyz");
    expect(JSON.parse(text)).toMatchObject({ status: "ok" });
  });

  test(`random ones at several places and in any header, seed ${SEED}`, async () => {
    const random = new Random(SEED);
    const some = <T>(names: readonly string[], values: readonly T[]): Record<string, T> =>
      Object.fromEntries(names.flatMap((name) => (random.chance(0.5) ? [[name, random.pick(values)]] : [])));
    for (let n = 0; n < RANDOM_REQUESTS; n += AT_ONCE) {
      // A folder that is under way takes no writes.
      const named = {
        work: "none",
        ...(await prepare(...EACH.filter(({ request }) => !request.includes("{work}")))),
      };
      const requests = Array.from({ length: AT_ONCE }, () => {
        const route = random.pick(EACH);
        return send(route, named, {
          path: random.chance(1 / 3) ? some(route.path, HOSTILE_TEXT) : {},
          query: some(route.query, HOSTILE_TEXT),
          fields: some(route.body ?? [], HOSTILE_JSON),
          headers: { [random.pick(HEADERS)]: random.pick(HOSTILE_HEADERS) },
        });
      });
      await Promise.all(requests);
    }
    expect(faults()).toEqual([]);
  });
});

describe("request targets that no library sends", () => {
  const targets = [
    "/v0/../v0/drives",
    "/v0/files/..",
    "/v0/files/../../../etc/passwd",
    "//v0/drives",
    "/v0//drives",
    "/v0/drives/",
    "/v0/drives//",
    "/v0/drives?",
    "/v0/drives?=",
    "/v0/drives?&&&=&",
    "/v0/drives?slug",
    "/v0/drives?slug=%",
    "/v0/drives?slug=%c0%af",
    "/v0/drives#fragment",
    "/v0/files/%",
    "/v0/files/%zz",
    "/v0/files/%c0%af",
    "/v0/files/%00",
    "/v0/files/%2f",
    "/v0/files/a%2fdownload",
    "/v0/files/%5c..%5c",
    `/v0/files/${"a".repeat(8000)}`,
    `/v0/drives?slug=${"%20".repeat(3000)}`,
    `/v0/drives?${"a=b&".repeat(2000)}`,
    "/v0/files/\u00ff",
    "http://evil.example/v0/drives",
    "http://evil.example",
    "v0/drives",
    "*",
    "/",
    "/v0",
  ];
  test.each(targets.map((target) => [target.slice(0, 60), target]))("%s", async (_, target) => {
    const client = await RawClient.to(Number(new URL(stage.coffer.appliance.url).port));
    await client.write(
      Buffer.from(
        `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.world.keys.ada}\r\nConnection: close\r\n\r\n`,
        "latin1",
      ),
    );
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(await client.until(/\r\n\r\n/))?.[1] ?? "none";
    client.close();
    expect(status).toMatch(/^[234]\d\d$/);
    expect(faults()).toEqual([]);
    expect((await stage.world.clients.ada.send("GET", "/v0/drives")).status).toBe(200);
  });
});
