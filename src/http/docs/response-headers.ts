/** Headers of every response, errors included. */
export const COMMON_HEADERS = {
  "X-Request-Id": {
    description:
      "Identifies the request, also in the server's log. The client's own is used, if it sends one.",
    required: true,
    schema: { type: "string" },
  },
  "X-Content-Type-Options": { description: "`nosniff`", required: true, schema: { type: "string" } },
};

/** More headers of every response that pages of other origins may read. */
export const CORS_HEADERS = {
  "Access-Control-Allow-Origin": {
    description: "`*`, or the page's origin, if the request has an `Origin` that is allowed.",
    schema: { type: "string" },
  },
  "Access-Control-Expose-Headers": {
    description:
      "The headers that pages of other origins may read, if the request has an `Origin` that is allowed.",
    schema: { type: "string" },
  },
  Vary: {
    description: "`Origin`: see *Pages of other origins* above. With `Preference-Applied`, also `Prefer`.",
    required: true,
    schema: { type: "string" },
  },
};

/** More headers of errors that have the shape of OAuth. */
export const OAUTH_HEADERS = {
  "Cache-Control": { description: "`no-store`", required: true, schema: { type: "string" } },
};

/** More headers of every response to a counted request. */
export const API_HEADERS = {
  "X-RateLimit-Limit": {
    description: "Requests allowed per minute, in the window with the fewest left: see *Rate limits* above.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in that window.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  "X-RateLimit-Reset": {
    description: "Seconds until that window ends.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  "Cache-Control": {
    description: "`no-store`, except for the content of files.",
    required: true,
    schema: { type: "string" },
  },
  "Preference-Applied": {
    description:
      "`handling=lenient`, if the request prefers that, and has a name that was ignored: see *Requests* above.",
    schema: { type: "string", const: "handling=lenient" },
  },
  ...CORS_HEADERS,
};

/** The header of a response that is not the first to its request. */
export const REPLAYED_HEADER = {
  description: "`true` if this is the response to an earlier request with the same `Idempotency-Key`.",
  schema: { type: "string", const: "true" },
};
