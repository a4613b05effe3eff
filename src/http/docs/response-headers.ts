const TEXT = { type: "string" };

function always(description: string, schema: object = TEXT) {
  return { description, required: true, schema };
}

function sometimes(description: string, schema: object = TEXT) {
  return { description, schema };
}

/** Headers of every response, errors included. */
export const COMMON_HEADERS = {
  "X-Request-Id": always(
    "Identifies the request, also in the server's log. The client's own is used, if it sends one.",
  ),
  "X-Content-Type-Options": always("`nosniff`"),
};

/** More headers of every response that pages of other origins may read. */
export const CORS_HEADERS = {
  "Access-Control-Allow-Origin": sometimes(
    "`*`, or the page's origin, if the request has an `Origin` that is allowed.",
  ),
  "Access-Control-Expose-Headers": sometimes(
    "The headers that pages of other origins may read, if the request has an `Origin` that is allowed.",
  ),
  Vary: always("`Origin`: see *Pages of other origins* above. With `Preference-Applied`, also `Prefer`."),
};

/** More headers of errors that have the shape of OAuth. */
export const OAUTH_HEADERS = { "Cache-Control": always("`no-store`") };

/** More headers of every response to a counted request. */
export const API_HEADERS = {
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
export const REPLAYED_HEADER = sometimes(
  "`true` if this is the response to an earlier request with the same `Idempotency-Key`.",
  { type: "string", const: "true" },
);
