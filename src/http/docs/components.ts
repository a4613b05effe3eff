import type { ErrorCode } from "../../domain/errors.ts";
import { ANONYMOUS_KEY, IDEMPOTENCY_KEY } from "../../domain/idempotency.ts";
import { ERROR_STATUS } from "../gate/errors.ts";
import { SESSION_COOKIE } from "../gate/session-cookie.ts";
import type { Described } from "./describe.ts";

/** Where an operation is, as far as all responses there have the same headers. */
export interface Place {
  /** Whether requests are counted: see `isGuardedPath`. */
  readonly isCounted: boolean;
  /** Whether pages of other origins may use it: see `isSharedPath`. */
  readonly isShared: boolean;
}

/** Error codes that share a status, in one kind of place. */
export interface ErrorGroup extends Place {
  readonly codes: readonly [ErrorCode, ...ErrorCode[]];
  /** Whether they have the shape that OAuth gives them. */
  readonly isOAuth: boolean;
}

const EXAMPLE_REQUEST = "5c1e2b9a-6f0d-4a53-9d0e-7f2b8c4d1e60";

/** The parameter of every write. */
export const IDEMPOTENCY_KEY_PARAMETER = { $ref: `#/components/parameters/${IDEMPOTENCY_KEY}` };

const TEXT = { type: "string" };

function always(description: string, schema: object = TEXT) {
  return { description, required: true, schema };
}

function sometimes(description: string, schema: object = TEXT) {
  return { description, schema };
}

/** Headers of every response, errors included. */
const COMMON_HEADERS = {
  "X-Request-Id": always(
    "Identifies the request, also in the server's log. The client's own is used, if it sends one.",
  ),
  "X-Content-Type-Options": always("`nosniff`"),
};

/** More headers of every response that pages of other origins may read. */
const CORS_HEADERS = {
  "Access-Control-Allow-Origin": sometimes(
    "`*`, or the page's origin, if the request has an `Origin` that is allowed.",
  ),
  "Access-Control-Expose-Headers": sometimes(
    "The headers that pages of other origins may read, if the request has an `Origin` that is allowed.",
  ),
  Vary: always("`Origin`: see *Pages of other origins* above. With `Preference-Applied`, also `Prefer`."),
};

/** More headers of errors that have the shape of OAuth. */
const OAUTH_HEADERS = { "Cache-Control": always("`no-store`") };

/** More headers of every response to a counted request. */
const API_HEADERS = {
  "X-RateLimit-Limit": always(
    "Requests allowed per minute, in the window with the fewest left: see *Rate limits* above.",
    { type: "integer", minimum: 1 },
  ),
  "X-RateLimit-Remaining": always("Requests left in that window.", { type: "integer", minimum: 0 }),
  "X-RateLimit-Reset": always("Seconds until that window ends.", { type: "integer", minimum: 1 }),
  "Cache-Control": always("`no-store`, except for the content of files."),
  "Preference-Applied": sometimes(
    "`handling=lenient`, if the request prefers that, and has a name that was ignored: see *Requests* above.",
    { type: "string", const: "handling=lenient" },
  ),
  ...CORS_HEADERS,
};

/** The header of a response that is not the first to its request. */
const REPLAYED_HEADER = sometimes(
  "`true` if this is the response to an earlier request with the same `Idempotency-Key`.",
  { type: "string", const: "true" },
);

const retryAfter = (description: string) => ({
  "Retry-After": always(description, { type: "integer", minimum: 1 }),
});

const LINK = {
  Link: always("Leads to this description (`service-desc`) and to `/llms.txt` (`service-doc`)."),
};

type Header = ReturnType<typeof sometimes> | ReturnType<typeof always>;

/** The headers of the errors with a code. */
const CODE_HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, Header>>>> = {
  UNAUTHORIZED: { "WWW-Authenticate": always("`Bearer`"), ...LINK },
  FORBIDDEN: {
    "WWW-Authenticate": sometimes(
      "How an application that a person let in asks for more, if it may only read and called a writing tool of the MCP server.",
    ),
  },
  NOT_FOUND: LINK,
  IDEMPOTENCY_IN_PROGRESS: retryAfter("Seconds to wait; with `IDEMPOTENCY_IN_PROGRESS`."),
  RANGE_NOT_SATISFIABLE: {
    "Content-Range": always("`bytes */` and the size of the content in bytes."),
  },
  UNSUPPORTED_MEDIA_TYPE: {
    "Accept-Encoding": sometimes("`identity`, if the body had a `Content-Encoding`.", {
      type: "string",
      const: "identity",
    }),
  },
  RATE_LIMITED: retryAfter("Seconds to wait."),
  UNAVAILABLE: retryAfter("Seconds to wait."),
};

function headerRefs({ isCounted, isShared }: Place): Record<string, object> {
  const more = isCounted ? API_HEADERS : isShared ? CORS_HEADERS : {};
  const headers = { ...COMMON_HEADERS, ...more };
  return Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** The shared components of all operations, without errors. */
export const SHARED_COMPONENTS = {
  securitySchemes: {
    apiKey: {
      type: "http",
      scheme: "bearer",
      description: "An API key, from `POST /v0/drives/provision` or `POST /v0/keys`.",
    },
    session: {
      type: "apiKey",
      in: "cookie",
      name: SESSION_COOKIE,
      description:
        "A session has the rights of a read-write account key. Signing in sets the cookie, and browsers send it automatically: there is nothing to fill in here. Requests that change something must come from a page of this server, as `Origin` or `Sec-Fetch-Site` says; others are refused with 403. A Bearer key in the `Authorization` header, even an invalid one, disables the cookie.",
    },
  },
  headers: { ...COMMON_HEADERS, ...API_HEADERS, "Idempotency-Replayed": REPLAYED_HEADER },
  parameters: {
    [IDEMPOTENCY_KEY]: {
      name: IDEMPOTENCY_KEY,
      in: "header",
      required: false,
      description: `Makes a retry safe: a request that is sent again with the same key takes effect once. 1 to 255 printable ASCII characters; use a new UUID for each request. Without an API key or session it must have at least ${ANONYMOUS_KEY.characters} characters, at least ${ANONYMOUS_KEY.different} of them different, as a UUID has.`,
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    },
  },
  schemas: {
    OAuthError: {
      type: "object",
      description: "An error as OAuth has it (RFC 6749, section 5.2).",
      required: ["error", "error_description", "request_id"],
      properties: {
        error: { type: "string", description: "For programs.", examples: ["invalid_grant"] },
        error_description: { type: "string", description: "For people." },
        request_id: { type: "string" },
      },
    },
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
              description: "For programs. Codes never change their meaning.",
            },
            message: { type: "string", description: "For people." },
            field: { type: "string", description: "The invalid field, such as `name` or `tags[2]`." },
            request_id: { type: "string" },
          },
        },
      },
    },
  },
};

/** A response with the headers that all have there, and that of a replay, if it is to a write. */
export function withCommonHeaders(response: Described, place: Place, isKeyed: boolean): object {
  const replayed = { "Idempotency-Replayed": { $ref: "#/components/headers/Idempotency-Replayed" } };
  return {
    ...response,
    headers: { ...headerRefs(place), ...response.headers, ...(isKeyed ? replayed : {}) },
  };
}

/** The `default` response of a route that succeeds with a redirect: validators require a 2xx or this. */
export const ANY_ERROR = {
  description: "Any other error.",
  headers: headerRefs({ isCounted: false, isShared: false }),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

/** The response component for each group of codes that share a status. */
export function errorResponses(groups: ReadonlyMap<string, ErrorGroup>): Record<string, object> {
  return Object.fromEntries([...groups].map(([name, group]) => [name, errorResponse(group)]));
}

function errorResponse(group: ErrorGroup): object {
  const { codes, isOAuth } = group;
  const example = isOAuth ? oauthExampleOf : exampleOf;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join("\n\n"),
    headers: { ...codeHeaders(codes), ...headerRefs(group), ...(isOAuth ? OAUTH_HEADERS : {}) },
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${isOAuth ? "OAuthError" : "Error"}` },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function oauthExampleOf(code: ErrorCode): object {
  const error = code === "VALIDATION_ERROR" ? "invalid_request" : "temporarily_unavailable";
  return { error, error_description: ERROR_MEANINGS[code], request_id: EXAMPLE_REQUEST };
}

/** A header that errors with a code always have is required if no other code shares the status. */
function codeHeaders(codes: ErrorGroup["codes"]): Record<string, object> {
  return Object.fromEntries(
    codes.flatMap((code) =>
      Object.entries(CODE_HEADERS[code] ?? {}).map(([name, header]) => {
        const { description, schema } = header;
        return [name, { description, schema, required: codes.length === 1 && "required" in header }];
      }),
    ),
  );
}

function exampleOf(code: ErrorCode): object {
  const example = { code, message: ERROR_MEANINGS[code], request_id: EXAMPLE_REQUEST };
  return { error: code === "VALIDATION_ERROR" ? { ...example, field: "name" } : example };
}

export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    "A field is missing, malformed or out of range, or the JSON is malformed. `field` names the field.",
  UNAUTHORIZED: "There is no valid key or session, or the sign-in failed.",
  FORBIDDEN:
    "The caller may not do this: a write with a read-only key, an operation that needs an account key or a session, a request with a session from another site, or something that this server does not allow.",
  QUOTA_EXCEEDED:
    "The drive or account would exceed its limit of storage, records, kept responses or keys; contents that are arriving count as stored. Or replaced and deleted files still take up too much disk space: then `message` says to try again in a minute.",
  NOT_FOUND: "It does not exist, has expired, or is not the caller's.",
  METHOD_NOT_ALLOWED: "The path does not support this method. `Allow` lists the methods that it supports.",
  REQUEST_TIMEOUT:
    "The content came more slowly than this server allows, and the connection is closed. Nothing was stored.",
  CONFLICT:
    "The current state does not allow this: a path or username is taken, a file is where a folder is needed, or a drive is already claimed.",
  IDEMPOTENCY_IN_PROGRESS: "A request with the same `Idempotency-Key` is still running.",
  GONE: "The link or its token has expired or was already used.",
  PRECONDITION_FAILED: "The condition in `If-Match`, `If-None-Match` or `If-Unmodified-Since` is not met.",
  PAYLOAD_TOO_LARGE:
    "The body, the content to extract, or the response to keep for an `Idempotency-Key` is larger than allowed.",
  UNSUPPORTED_MEDIA_TYPE:
    "The body has a `Content-Encoding` (the response then has `Accept-Encoding: identity`), or the file cannot be read as text: its type has none, or its content is not of its type.",
  RANGE_NOT_SATISFIABLE: "The range is outside the content.",
  IDEMPOTENCY_KEY_REUSED: "The same `Idempotency-Key` was used for a different request.",
  EXTRACTION_FAILED:
    "The content does not match its type, or the document is malformed, has a password, or takes too much time or memory to read.",
  RATE_LIMITED:
    "Too many requests, or too many uploads, archives or searches at once. `Retry-After` says how many seconds to wait.",
  HEADERS_TOO_LARGE: "The address and the headers together are longer than allowed.",
  INTERNAL: "An error in the server. Its log has the details under the request id.",
  UNAVAILABLE:
    "The server cannot do this now. `Retry-After` says how many seconds to wait. If the disk failed during a write, the write may have taken effect.",
  STORAGE_FULL: "The server's disk is full or has reached its reserve.",
};
