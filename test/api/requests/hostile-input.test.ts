import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import { HOSTILE_TEXTS, HOSTILE_VALUES } from "../../support/generated/hostile.ts";
import type { DescribedOperation } from "../../support/schemas/description.ts";
import { isObject } from "../../support/schemas/json-schema.ts";
import { expectCommonRules, openStage } from "../../support/server/scenario.ts";
import { HELLO } from "../../support/server/uploads.ts";
import { describedApi, operationOf, requestOf, ROUTES, type RouteRow } from "../../support/server/routes.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { makeOwnTarget, type Named } from "../../support/server/targets.ts";
import { isThorough } from "../../support/server/thorough.ts";

const stage = openStage({ "max-file-size": "1MiB" });

/** In an ordinary run, one of so many attempts is made at a route: another of them at the next. */
const SHARE = 48;
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

/** What JSON a caller may send where something else is expected; halves of surrogate pairs as well. */
const HOSTILE_JSON: Json[] = [
  ...new Set([...HOSTILE_TEXTS, ...HOSTILE_TEXT]),
  ...HOSTILE_VALUES,
  1e308,
  2 ** 63,
  ["a", 1],
  ["", " ", "\u0000"],
  Array.from({ length: 1001 }, (_, i) => `${i}`),
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

/** Headers that any route gets, of which each takes some of the values; those a route describes take them all. */
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

/** One route, with a request to it that is as it should be. */
interface Route {
  readonly operation: DescribedOperation;
  readonly row: RouteRow;
  /** The fields of its JSON body; null where it takes none. */
  readonly fields: readonly string[] | null;
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
const EACH = description.operations.flatMap((operation): Route[] => {
  const row = ROUTES.find(([request]) => operationOf(description, request) === operation);
  if (row === undefined || operation.path === "/v0") return [];
  const json = new Map(description.bodySchemas(operation)).get("application/json");
  return [{ operation, row, fields: json === undefined ? null : Object.keys(json["properties"] ?? {}) }];
});

async function send({ operation, row, fields }: Route, named: Named, attempt: Attempt): Promise<number> {
  const [method, sound, { body: filled, headers }] = requestOf(row, named);
  const [sent = "", asked] = sound.split("?");
  const parts = sent.split("/");
  const path = operation.path.split("/").map((part, at) => {
    const value = attempt.path?.[part.slice(1, -1)];
    return value === undefined ? parts[at] : encodeURIComponent(value);
  });
  const query = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(asked)), ...attempt.query });
  const { content, ...others } = isObject(filled) ? filled : {};
  // An upload has one of the two.
  const whole = content === undefined || "text" in (attempt.fields ?? {}) ? others : { ...others, content };
  const body = attempt.body ?? (fields === null ? filled : { ...whole, ...attempt.fields });
  const target = path.join("/") + (query.size === 0 ? "" : `?${query.toString()}`);
  const { coffer, world } = stage;
  const ada = row[2]?.by === "session" ? beginSession(coffer, "ada").browser : world.clients.ada;
  const answer = await ada.send(method, target, {
    ...(body === undefined || method === "GET" ? {} : { body }),
    headers: { ...headers, ...attempt.headers },
  });
  expectSound(answer, `${method} ${target.slice(0, 300)} ${JSON.stringify(attempt).slice(0, 300)}`);
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

/** What a route's requests name, in a drive of Ada's, made anew for each place, since some take it away. */
function prepare({ row: [request, , more] }: Route): Promise<Named> {
  return makeOwnTarget(stage, JSON.stringify([request, more]));
}

/** Everything that is tried at the nth route, one place at a time. */
function attemptsAt({ operation, fields }: Route, n: number): Attempt[] {
  const { path, query, header } = operation.parameters;
  const anywhere = (at: number) => HEADERS[(at + n) % HEADERS.length] ?? "";
  return [
    ...path.flatMap((name) => HOSTILE_TEXT.map((value): Attempt => ({ path: { [name]: value } }))),
    ...query.flatMap((name) => HOSTILE_TEXT.map((value): Attempt => ({ query: { [name]: value } }))),
    ...(fields ?? []).flatMap((name) =>
      HOSTILE_JSON.map((value): Attempt => ({ fields: { [name]: value } })),
    ),
    ...(fields === null ? [] : HOSTILE_BODIES.map((body): Attempt => ({ body }))),
    ...header.flatMap((name) => HOSTILE_HEADERS.map((value): Attempt => ({ headers: { [name]: value } }))),
    ...HOSTILE_HEADERS.map((value, at): Attempt => ({ headers: { [anywhere(at)]: value } })),
  ];
}

/** The lines of the log that tell of a fault of ours. */
function faults(): string[] {
  return stage.coffer.lines.filter((line) => /"level":"error"|request failed/.test(line));
}

describe("no answer is a 5xx, and every refusal has its form", () => {
  test("what is sent beside the hostile values is accepted", async () => {
    const described = description.operations.filter(({ path }) => path.startsWith("/v0/"));
    expect(EACH).toHaveLength(described.length);
    for (const route of EACH) {
      const status = await send(route, await prepare(route), {});
      const { id } = route.operation;
      // This server has no place for backups.
      expect([id, status < 300]).toEqual([id, id !== "startBackup"]);
    }
  });

  test("each hostile value at each place of each route", async () => {
    for (const [n, route] of EACH.entries()) {
      const attempts = attemptsAt(route, n).filter((_, at) => isThorough() || (at + n) % SHARE === 0);
      let named = await prepare(route);
      for (let at = 0; at < attempts.length; at += AT_ONCE) {
        // Reading takes nothing away.
        if (at > 0 && route.operation.method !== "GET") named = await prepare(route);
        await Promise.all(attempts.slice(at, at + AT_ONCE).map((attempt) => send(route, named, attempt)));
      }
    }
    expect(faults()).toEqual([]);
    const { text } = await stage.world.clients.ada.send("GET", "/readyz");
    expect(JSON.parse(text)).toMatchObject({ status: "ok" });
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
