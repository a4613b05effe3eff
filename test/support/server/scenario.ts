import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "./appliance.ts";
import { contentsIn } from "../samples/contents.ts";
import type { Answer, Client, Json, RequestOptions } from "./client.ts";
import { type CallerName, CALLERS, populate, type World } from "./world.ts";

/** All error codes and their statuses. A copy, so that a change of the source's table is noticed. */
export const STATUS_OF = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  QUOTA_EXCEEDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  IDEMPOTENCY_KEY_REUSED: 422,
  EXTRACTION_FAILED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  STORAGE_FULL: 507,
} as const;
export type Code = keyof typeof STATUS_OF;

/**
 * One request and the expected response. A step always says something about the response's body. In the path, body,
 * headers and expectations, `{drive}`, `{drives.ada}`, `{files.agent}`, `{keyIds.bob}` and what an earlier step `keeps`
 * are filled in; percent-encoded in the path.
 */
export type Step = Exchange & SaysBody;

/** Parts of a step, with what it says about the response's body. */
export type Expected = Partial<Exchange> & SaysBody;

/** What a step says about the response's body: what it has, or that there is none. */
type SaysBody =
  Required<Pick<Exchange, "json">> | Required<Pick<Exchange, "contains">> | Required<Pick<Exchange, "empty">>;

interface Exchange {
  /** Who sends the request; by default the owner of `{drive}`, an empty drive of this scenario. */
  readonly as?: CallerName | "owner";
  readonly request: readonly [method: string, path: string];
  readonly body?: Json | Uint8Array<ArrayBuffer>;
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The response's JSON must have at least this; arrays must match completely. */
  readonly json?: object;
  /** The response's text must contain each. */
  readonly contains?: readonly [string | RegExp, ...(string | RegExp)[]];
  /** The response must have no body. */
  readonly empty?: true;
  readonly omits?: readonly (string | RegExp)[];
  /** The response's headers; null for one that must be absent. */
  readonly receives?: Readonly<Record<string, string | RegExp | null>>;
  /** Keeps the response's JSON under this name, so that later steps can use `{name.id}`. */
  readonly keeps?: string;
}

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
/** A method and a path, such as `GET /v0/files/{file.id}`; with a caller before them, such as `bob GET /v0/keys`. */
export type Request = `${Method} ${string}` | `${CallerName | "owner"} ${Method} ${string}`;

function parsed(request: Request): Pick<Exchange, "as" | "request" | "status"> {
  const [, word, method = "", path = ""] = /^(?:([a-z]\w*) )?([A-Z]+) (.+)$/s.exec(request) ?? [];
  const as = CALLERS.find((caller) => caller === word);
  return { ...(as === undefined ? {} : { as }), request: [method, path], status: 200 };
}

/** A request, and what is expected: 200, unless it says otherwise. */
export function step(request: Request, expected: Expected): Step {
  return { ...parsed(request), ...expected };
}

/** An appliance with its cast, shared by the scenarios of one file. Each scenario has its own drive. */
export interface Stage {
  readonly coffer: TestAppliance;
  readonly world: World;
  /** A new unclaimed drive and its agent. */
  ownDrive(): Promise<UnclaimedDrive>;
  /** The data directory: the digests of the contents, sorted, and the temporary files. */
  onDisk(): Promise<{ blobs: string[]; tmp: string[] }>;
}

export interface OwnDrive {
  readonly id: string;
  readonly key: string;
  readonly client: Client;
}

export interface UnclaimedDrive extends OwnDrive {
  /** What it can be claimed with. */
  readonly claimToken: string;
}

/** Opens a stage before the tests of the calling file or `describe`, and closes it after them. */
export function openStage(settings: Record<string, string> = {}): Stage {
  let coffer: TestAppliance | undefined;
  let world: World | undefined;
  beforeAll(async () => {
    coffer = await startAppliance(settings);
    world = await populate(coffer);
  });
  afterAll(async () => {
    await coffer?.[Symbol.asyncDispose]();
  });
  return {
    get coffer() {
      if (coffer === undefined) throw new Error("the stage is not open yet");
      return coffer;
    },
    get world() {
      if (world === undefined) throw new Error("the stage is not open yet");
      return world;
    },
    ownDrive() {
      return provision(this.coffer);
    },
    onDisk() {
      return contentsOnDisk(this.coffer.dataDir);
    },
  };
}

/** The contents and temporary files in a data directory. */
export async function contentsOnDisk(dataDir: string): Promise<{ blobs: string[]; tmp: string[] }> {
  const blobs = contentsIn(dataDir).map(({ digest }) => digest);
  return { blobs: blobs.toSorted(), tmp: await readdir(join(dataDir, "tmp")) };
}

/** The timeout of `eventually`, in milliseconds: only reached if the condition never becomes true. */
const PATIENCE_MS = 90_000;

/** Resolves when `isTrue` returns true; for what happens on the server without a response. */
export async function eventually(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`this never came true: ${isTrue.toString()}`);
    await Bun.sleep(2);
  }
}

/** A new unclaimed drive of an appliance. */
export async function provision(coffer: TestAppliance, name = "Scenario"): Promise<UnclaimedDrive> {
  const { data } = await coffer
    .client()
    .post<{ data: { api_key: string; drive_id: string; claim_url: string } }>("/v0/drives/provision", {
      name,
    });
  const claimToken = data.claim_url.split("/").at(-1) ?? "";
  return { id: data.drive_id, key: data.api_key, claimToken, client: coffer.client(data.api_key) };
}

/** Scenarios by their names: a step each, or several, one after another. */
export type Scenarios = Readonly<Record<string, Step | readonly Step[]>>;

/** Makes a test of each scenario; all of them have these first steps, and these last ones. */
export function runScenarios(
  stage: Stage,
  scenarios: Scenarios,
  first: readonly Step[] = [],
  last: readonly Step[] = [],
): void {
  for (const [name, steps] of Object.entries(scenarios)) {
    test(name, async () => {
      const play = new Play(stage, await stage.ownDrive());
      for (const each of [...first, ...[steps].flat(), ...last]) await play.run(each);
    });
  }
}

/** Makes a test of each row of a table: its name, and the steps. */
export function runEach<T>(
  stage: Stage,
  rows: readonly T[],
  scenario: (row: T) => readonly [name: string, ...steps: Step[]],
): void {
  for (const row of rows) {
    const [name, ...steps] = scenario(row);
    runScenarios(stage, { [name]: steps });
  }
}

/** A running scenario: its callers, and what its steps have kept. */
class Play {
  readonly #clients: Readonly<Record<CallerName | "owner", Client>>;
  readonly #scope: Record<string, unknown>;

  constructor(stage: Stage, own: OwnDrive) {
    const { clients, drives, files, keyIds } = stage.world;
    this.#clients = { ...clients, owner: own.client };
    this.#scope = { drive: own.id, drives, files, keyIds };
  }

  async run(asked: Step): Promise<void> {
    const [method, template] = asked.request;
    const path = fill(template, this.#scope, encodeURIComponent);
    const options: RequestOptions = {
      ...(asked.body === undefined ? {} : { body: fillBody(asked.body, this.#scope) }),
      headers: fillHeaders(asked.headers ?? {}, this.#scope),
    };
    const answer = await this.#clients[asked.as ?? "owner"].send(method, path, options);
    this.#check(asked, answer, `${method} ${path}`);
  }

  #check(asked: Step, answer: Answer, what: string): void {
    const [method] = asked.request;
    expect(`${what}: ${answer.status} ${excerpt(answer, asked.status)}`).toStartWith(
      `${what}: ${asked.status} `,
    );
    expectCommonRules(method, answer);
    for (const part of asked.contains ?? []) expectText(answer.text, part, this.#scope, true);
    for (const part of asked.omits ?? []) expectText(answer.text, part, this.#scope, false);
    for (const [name, expected] of Object.entries(asked.receives ?? {})) {
      const value = answer.headers.get(name);
      if (expected instanceof RegExp) expect(value ?? "").toMatch(expected);
      else expect([name, value]).toEqual([name, expected === null ? null : fill(expected, this.#scope)]);
    }
    if (asked.empty) expect(answer.text).toBe("");
    if (asked.json !== undefined) expectJson(answer.text, fillExpected(asked.json, this.#scope));
    if (asked.keeps !== undefined) this.#scope[asked.keeps] = JSON.parse(answer.text);
  }
}

/** Checks what every response of `/v0`, and every error body, must have; at every step. */
export function expectCommonRules(method: string, { status, headers, text }: Answer): void {
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const id = headers.get("x-request-id") ?? "";
  expect(id).toMatch(/^[!-~]{1,128}$/);
  for (const name of ["limit", "remaining", "reset"]) {
    expect([name, headers.get(`x-ratelimit-${name}`)]).toEqual([name, expect.stringMatching(/^\d+$/)]);
  }
  // Contents may be cached, but must be revalidated; everything else must not be cached.
  expect(headers.get("cache-control")).toMatch(/^(no-store|private, no-cache)$/);
  if (status < 400) return;
  expect(headers.get("content-type")).toMatch(/^application\/json\b/);
  if (method === "HEAD") return;
  const { error }: { error: { code: Code; message: unknown; request_id: unknown } } = JSON.parse(text);
  expect([error.code, status]).toEqual([error.code, STATUS_OF[error.code]]);
  expect(error.message).toMatch(/./);
  expect(error.request_id).toBe(id);
}

/** The text must be JSON that has at least `expected`; arrays must match completely. */
export function expectJson(text: string, expected: unknown): void {
  // Parsed again each time: toMatchObject replaces values of the checked object by matchers.
  const json: unknown = JSON.parse(text);
  expect({ json }).toMatchObject({ json: expected });
}

/** The expectation of an error: its status, its code and, if there is one, its field. */
export function refused(code: Code, field?: string): { readonly status: number; readonly json: object } {
  return {
    status: STATUS_OF[code],
    json: {
      error: field === undefined ? { code } : { code, field, message: expect.stringContaining(field) },
    },
  };
}

/** The expectation of an error about a field. */
export function invalid(field: string): ReturnType<typeof refused> {
  return refused("VALIDATION_ERROR", field);
}

/** A request such as `GET /v0/drives` that succeeds: its answer must have at least this. */
export function gives(request: Request, json: object, more: Partial<Exchange> = {}): Step {
  return { ...parsed(request), json, ...more };
}

/** A request that is refused. */
export function refuses(request: Request, code: Code, field?: string): Step {
  return { ...parsed(request), ...refused(code, field) };
}

/** "Hello World!" in base64, and its SHA-256. */
export const HELLO = "SGVsbG8gV29ybGQh";
export const HELLO_DIGEST = "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069";

/**
 * An upload in JSON of "Hello World!" as `f.txt` into `{drive}`, with these fields added or replaced. By default the
 * expected response is the record of a file with this name.
 */
export function post(fields: { [name: string]: Json } = {}, more: Partial<Step> = {}): Step {
  const body = { drive_id: "{drive}", filename: "f.txt", content: HELLO, ...fields };
  return { request: ["POST", "/v0/files"], body, status: 201, json: { filename: body.filename }, ...more };
}

/** An upload in JSON: these fields create a record with at least `json`. */
export function accepted(fields: { [name: string]: Json }, json: object): Step {
  return post(fields, { json });
}

/** The same, where the record shows them as they were sent. */
export function kept(fields: { [name: string]: Json }): Step {
  return accepted(fields, fields);
}

/** An upload in JSON: these fields are refused because of `field`, and no file is created. */
export function rejected(fields: { [name: string]: Json }, field: string): Step[] {
  return [post(fields, invalid(field)), holds()];
}

/**
 * Uploads raw bytes to a path of `{drive}`. By default the expected response is the record of a file with this path and
 * size.
 */
export function put(
  path: string,
  content: string | Uint8Array<ArrayBuffer> = "Hello World!",
  more: Partial<Step> = {},
): Step {
  return {
    request: ["PUT", `/v0/files?drive_id={drive}&path=${encodeURIComponent(path)}`],
    body: content,
    status: 201,
    json: { path, size: Buffer.byteLength(content) },
    ...more,
  };
}

/** A complete list of `{drive}` must have exactly these paths. */
export function holds(...paths: string[]): Step {
  return {
    request: ["GET", "/v0/files?drive_id={drive}&limit=1000"],
    status: 200,
    json: { data: paths.map((path) => ({ path })), total: paths.length },
  };
}

type Scope = Readonly<Record<string, unknown>>;

/** A text with what stands in the scope for each `{name}`, or `{name.field}`. */
export function fill(template: string, scope: Scope, encode = (value: string) => value): string {
  return template.replaceAll(/\{([A-Za-z]\w*(?:\.\w+)*)\}/g, (whole, name: string) => {
    let value: unknown = scope;
    for (const key of name.split(".")) {
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
    }
    if (typeof value !== "string" && typeof value !== "number")
      throw new Error(`nothing stands for ${whole}`);
    return encode(String(value));
  });
}

function fillBody(body: Json | Uint8Array<ArrayBuffer>, scope: Scope): Json | Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array ? body : fillJson(body, scope);
}

export function fillJson(value: Json, scope: Scope): Json {
  if (typeof value === "string") return fill(value, scope);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, scope));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, scope)]));
}

/** Does not change matchers such as `expect.any(String)`. */
function fillExpected(value: unknown, scope: Scope): unknown {
  if (typeof value === "string") return fill(value, scope);
  if (Array.isArray(value)) return value.map((item: unknown) => fillExpected(item, scope));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillExpected(item, scope)]));
}

function fillHeaders(headers: Readonly<Record<string, string>>, scope: Scope): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, scope)]));
}

function expectText(text: string, part: string | RegExp, scope: Scope, isThere: boolean): void {
  if (part instanceof RegExp) return isThere ? expect(text).toMatch(part) : expect(text).not.toMatch(part);
  const filled = fill(part, scope);
  return isThere ? expect(text).toContain(filled) : expect(text).not.toContain(filled);
}

/** Only for the message of a wrong status. */
function excerpt({ status, text }: Answer, expected: number): string {
  return status === expected ? "" : text.slice(0, 500);
}
