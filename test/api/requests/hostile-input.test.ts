import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { HOSTILE_TEXTS } from "../../support/generated/hostile.ts";
import { pendingRequest } from "../../support/peers/oauth.ts";
import { expectCommonRules, HELLO, openStage } from "../../support/server/scenario.ts";
import { beginSession, type SignedInBrowser } from "../../support/server/sign-in.ts";
import { recordWork } from "../../support/faults/recorded-work.ts";
import { type HistoryIds, makeHistory } from "../../support/models/sound-history.ts";
import { Random } from "../../support/server/random.ts";
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

interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, Schema>;
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: "path" | "query" | "header" }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

/** One route and the places where it takes something. */
interface Route {
  readonly method: string;
  readonly template: string;
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly headers: readonly string[];
  /** The fields of its JSON body; null where it takes none. */
  readonly body: readonly string[] | null;
}

/** Values for one request; what is not in it is as it should be. */
interface Attempt {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, Json>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The routes of `/v0`; those to sign in count wrong passwords, and have few places for anything hostile. */
async function describedRoutes(): Promise<Route[]> {
  const { paths } = await stage.coffer
    .client()
    .get<{ paths: Record<string, Record<string, Described>> }>("/docs/openapi.json");
  const routes = Object.entries(paths).filter(([template]) => template.startsWith("/v0/"));
  return routes.flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]): Route => {
      const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name);
      const json = requestBody?.content["application/json"];
      return {
        method: method.toUpperCase(),
        template,
        path: named("path"),
        query: named("query"),
        headers: named("header"),
        body: json === undefined ? null : Object.keys(json.schema.properties ?? {}),
      };
    }),
  );
}

/** What only somebody signed in may ask. */
const NEEDS_SESSION = /^\/v0\/(users|account\/password|oauth)/;

interface SoundIds {
  readonly drive: string;
  readonly file: string;
  readonly key: string;
  readonly link: string;
  readonly uploadLink: string;
  readonly claim: string;
  readonly user: string;
  readonly session: string;
  readonly request: string;
  /** Only what the route takes. */
  readonly history: Partial<HistoryIds>;
}

/** Values that are right at a place of this name, wherever it is. */
class Sound {
  readonly #ids: SoundIds;
  /** Ada's. */
  readonly browser: SignedInBrowser;
  #count = 0;

  constructor(ids: SoundIds, browser: SignedInBrowser) {
    this.#ids = ids;
    this.browser = browser;
  }

  /** @param name as the template has it */
  id(template: string, name: string): string {
    return this.#historyId(template, name) ?? this.#ownId(template);
  }

  #historyId(template: string, name: string): string | undefined {
    const { snapshot, work, trash, listedLink, share, member, webhook, delivery } = this.#ids.history;
    const byName: Record<string, string | undefined> = {
      sid: snapshot,
      wid: work,
      user_id: member,
      did: delivery,
      n: "1",
    };
    if (name in byName) return byName[name];
    if (template.startsWith("/v0/trash")) return trash;
    if (template.startsWith("/v0/links")) return listedLink;
    if (template.startsWith("/v0/shared")) return share;
    return template.startsWith("/v0/webhooks") ? webhook : undefined;
  }

  #ownId(template: string): string {
    const [, , resource = "", next] = template.split("/");
    if (resource === "drives" && next === "claim") return this.#ids.claim;
    const byResource: Record<string, string | undefined> = {
      oauth: this.#ids.request,
      users: this.#ids.user,
      sessions: this.#ids.session,
      drives: this.#ids.drive,
      presigned: this.#ids.link,
      uploads: this.#ids.uploadLink,
      keys: this.#ids.key,
    };
    return byResource[resource] ?? this.#ids.file;
  }

  value(name: string, { method, template }: Route): Json | undefined {
    this.#count += 1;
    const values: Record<string, Json> = {
      name: "Name",
      drive_id: this.#ids.drive,
      filename: "f.txt",
      content: HELLO,
      path: this.#path(method, template),
      destination_path: `made/${this.#count}${template.startsWith("/v0/folders") ? "/" : ""}`,
      file_ids: [this.#ids.file],
      op: "append",
      ...(template === "/v0/files" ? {} : { text: "more" }),
      token: this.#ids.claim,
      limit: 10,
      inline: "1",
      q: "hello",
      pattern: "hello",
      username: template.includes("/members") ? "carol" : `user-${crypto.randomUUID().slice(0, 8)}`,
      role: "reader",
      url: "https://agent.example/hook",
      events: ["*"],
      allow: true,
      current: "ada's password",
      password: "ada's password",
    };
    return values[name];
  }

  /** A file or folder that is there, or a folder that is to be made. */
  #path(method: string, template: string): string {
    if (template.startsWith("/v0/files/by-path")) return "dir/file.txt";
    if (template === "/v0/upload-links") return "dir/linked.txt";
    const makes = method === "POST" && !/^\/v0\/folders\/(move|copy)$/.test(template);
    if (template.startsWith("/v0/trash")) return "back.txt";
    if (template.startsWith("/v0/shared")) return template.endsWith("/archive") ? "" : "file.txt";
    if (/^\/v0\/links|\/restore$|\/compare$/.test(template)) return "dir/";
    const isPresent = template === "/v0/archive" || (template.startsWith("/v0/folders") && !makes);
    return isPresent ? "dir/" : `made/${this.#count}/`;
  }
}

async function send(route: Route, sound: Sound, attempt: Attempt): Promise<number> {
  const path = route.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = attempt.path?.[name];
    return value === undefined ? sound.id(route.template, name) : encodeURIComponent(value);
  });
  const query = route.query.flatMap((name) => {
    const value = attempt.query?.[name] ?? sound.value(name, route);
    return typeof value === "string" ? [`${name}=${encodeURIComponent(value)}`] : [];
  });
  const tried = attempt.fields ?? {};
  const fields = Object.fromEntries(
    (route.body ?? []).flatMap((name) => {
      // An upload has one of the two.
      if (name === "content" && "text" in tried) return [];
      const value = name in tried ? tried[name] : sound.value(name, route);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const body = attempt.body ?? (route.body === null ? undefined : fields);
  const options: RequestOptions = {
    ...(body === undefined || route.method === "GET" ? {} : { body }),
    headers: { ...attempt.headers },
  };
  const target = query.length === 0 ? path : `${path}?${query.join("&")}`;
  const ada = NEEDS_SESSION.test(route.template) ? sound.browser : stage.world.clients.ada;
  const answer = await ada.send(route.method, target, options);
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

/** A file and a key of Ada's, made anew for each place, since some routes take them away. */
async function makeSound(template = ""): Promise<Sound> {
  const { ada } = stage.world.clients;
  const { id: drive } = await ada.makeDrive("Target");
  const file = await ada.put(drive, "dir/file.txt", "Hello World!");
  // An account has at most a thousand.
  const key = template === "" || template.startsWith("/v0/keys") ? (await ada.makeKey()).id : "";
  const link = await ada.post<{ token: string }>(`/v0/files/${file.id}/presigned-url`, undefined, 200);
  const { claimToken } = await stage.ownDrive();
  const place = { drive_id: drive, path: "by-link" };
  const uploadLink = await ada.post<{ url: string }>("/v0/upload-links", place);
  const account = await ada.get<{ data: { id: string } }>("/v0/account");
  const { id: session, browser } = beginSession(stage.coffer, "ada");
  return new Sound(
    {
      drive,
      file: file.id,
      key,
      link: link.token,
      uploadLink: uploadLink.url.split("/").at(-1) ?? "",
      claim: claimToken,
      user: account.data.id,
      request: await pendingRequest(stage.coffer),
      session,
      history: template.includes("{wid}")
        ? { work: recordWork(stage.coffer.dataDir, drive, "dir/") }
        : await makeHistory(ada, drive, template, "carol"),
    },
    browser,
  );
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
    for (const route of await describedRoutes()) {
      const status = await send(route, await makeSound(route.template), {});
      expect([route.method, route.template, status < 300]).toEqual([route.method, route.template, true]);
    }
  });

  test("each hostile value at each place of each route", async () => {
    for (const [n, route] of (await describedRoutes()).entries()) {
      const attempts = attemptsAt(route).filter((_, at) => isThorough() || (at + n) % SHARE === 0);
      let sound = await makeSound(route.template);
      for (let at = 0; at < attempts.length; at += AT_ONCE) {
        // Reading takes nothing away.
        if (at > 0 && route.method !== "GET") sound = await makeSound(route.template);
        await Promise.all(attempts.slice(at, at + AT_ONCE).map((attempt) => send(route, sound, attempt)));
      }
    }
    expect(faults()).toEqual([]);
    const { text } = await stage.world.clients.ada.send("GET", "/readyz");
    expect(JSON.parse(text)).toMatchObject({ status: "ok" });
  });

  test(`random ones at several places and in any header, seed ${SEED}`, async () => {
    const random = new Random(SEED);
    const routes = await describedRoutes();
    const some = <T>(names: readonly string[], values: readonly T[]): Record<string, T> =>
      Object.fromEntries(names.flatMap((name) => (random.chance(0.5) ? [[name, random.pick(values)]] : [])));
    for (let n = 0; n < RANDOM_REQUESTS; n += AT_ONCE) {
      const sound = await makeSound();
      const requests = Array.from({ length: AT_ONCE }, () => {
        const route = random.pick(routes);
        return send(route, sound, {
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
