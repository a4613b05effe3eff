import { expect } from "bun:test";
import type { Json } from "./client.ts";
import { type CallerName, CALLERS } from "./world.ts";

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

/** An id that nothing has. */
export const NOWHERE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

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

/** Bodies with one field each, and the field that is wrong with them: of each field some values. */
export function wrongBodies(values: Readonly<Record<string, readonly Json[]>>) {
  return Object.entries(values).flatMap(([field, each]) =>
    each.map((value): [{ [name: string]: Json }, string] => [{ [field]: value }, field]),
  );
}

/** The same of parameters of a query. */
export function wrongQueries(values: Readonly<Record<string, readonly string[]>>): [string, field: string][] {
  return Object.entries(values).flatMap(([field, each]) =>
    each.map((value): [string, string] => [`${field}=${value}`, field]),
  );
}
