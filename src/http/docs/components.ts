import type { ErrorCode } from "../../domain/errors.ts";
import { IDEMPOTENCY_KEY } from "../../domain/idempotency.ts";
import { ERROR_STATUS } from "../errors.ts";
import type { Described } from "./describe.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";

/** The groups of operations, in the order in which they are shown. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: "Drives", description: "Named containers of files, each with its own owner and limits." },
  { name: "Files", description: "Contents and their records: upload, read, change, copy, move, delete." },
  { name: "Folders", description: "Path prefixes that end with `/`." },
  { name: "Keys", description: "What callers authenticate with." },
  { name: "Search", description: "Finding files by name, text, tags and other properties." },
  { name: "Account", description: "The account behind a key, and what it uses." },
];

/** Headers that every answer under `/v0` carries, errors included. */
const COMMON_HEADERS = {
  "X-Request-Id": {
    description: "Identifies the request, here and in the server's log; a client's own is kept.",
    schema: { type: "string" },
  },
  "X-RateLimit-Limit": { description: "Requests allowed per minute.", schema: { type: "integer" } },
  "X-RateLimit-Remaining": {
    description: "Requests left in the current window.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Reset": {
    description: "Seconds until the window ends.",
    schema: { type: "integer", minimum: 1 },
  },
};

const REPLAYED_HEADER = {
  description: "`true` where this is the answer to an earlier request with the same `Idempotency-Key`.",
  schema: { type: "string", const: "true" },
};

/** The parameter that every write takes. */
export const IDEMPOTENCY_KEY_PARAMETER = { $ref: `#/components/parameters/${IDEMPOTENCY_KEY}` };

/** Headers that go with certain statuses of refusals. */
const STATUS_HEADERS: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  401: { "WWW-Authenticate": { description: "`Bearer`", schema: { type: "string" } } },
  409: {
    "Retry-After": {
      description: "Seconds to wait; with `IDEMPOTENCY_IN_PROGRESS`.",
      schema: { type: "integer", minimum: 1 },
    },
  },
  429: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } } },
};

const commonHeaderRefs = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

export const SHARED_COMPONENTS = {
  securitySchemes: {
    apiKey: {
      type: "http",
      scheme: "bearer",
      description: "An API key, from `POST /v0/drives/provision` or `POST /v0/keys`.",
    },
  },
  headers: { ...COMMON_HEADERS, "Idempotency-Replayed": REPLAYED_HEADER },
  parameters: {
    [IDEMPOTENCY_KEY]: {
      name: IDEMPOTENCY_KEY,
      in: "header",
      required: false,
      description:
        "Names the request, so that it can be sent again without a second effect: 1 to 255 printable ASCII characters, best a new UUID for each request.",
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    },
  },
  schemas: {
    Error: {
      type: "object",
      required: ["error"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message", "request_id"],
          properties: {
            code: {
              type: "string",
              enum: Object.keys(ERROR_STATUS),
              description: "For programs; never changes its meaning.",
            },
            message: { type: "string", description: "For people." },
            field: { type: "string", description: "The field at fault, such as `name` or `tags[2]`." },
            request_id: { type: "string" },
          },
        },
      },
    },
  },
};

/** Adds the headers that every answer carries to one. */
export function withCommonHeaders(response: Described) {
  return { ...response, headers: { ...response.headers, ...commonHeaderRefs } };
}

/** Adds the header of a repeated answer to an answer of a write. */
export function withReplayHeader<R extends { headers: object }>(response: R): object {
  const replayed = { $ref: "#/components/headers/Idempotency-Replayed" };
  return { ...response, headers: { ...response.headers, "Idempotency-Replayed": replayed } };
}

/** The response component of each group of codes that share a status. */
export function errorResponses(groups: ReadonlyMap<string, readonly ErrorCode[]>): Record<string, object> {
  return Object.fromEntries([...groups].map(([name, codes]) => [name, errorResponse(codes)]));
}

function errorResponse(codes: readonly ErrorCode[]): object {
  const status = Math.max(...codes.map((code) => ERROR_STATUS[code]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join("\n\n"),
    headers: { ...STATUS_HEADERS[status], ...commonHeaderRefs },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode): object {
  const example = { code, message: ERROR_MEANINGS[code], request_id: "5c1e2b9a-6f0d-4a53-9d0e-7f2b8c4d1e60" };
  return { error: code === "VALIDATION_ERROR" ? { ...example, field: "name" } : example };
}
