import { ANONYMOUS_KEY } from "../../domain/idempotency.ts";
import { MAX_ESCAPES } from "../json/json-text.ts";
import {
  RECORD_BYTES,
  RECORD_ROOM_BYTES,
  SESSION_REQUESTS,
  SHARED_FACTOR,
  UNCLAIMED_STORAGE_BYTES,
  UPLOAD_LIMITS,
} from "../../domain/limits.ts";
import { ANONYMOUS_BYTES, MESSAGE_BODY, METADATA_BODY, PLAIN_BODY, TEXT_BODY } from "../json/json-body.ts";

/** The introduction of the API description: what applies to every operation, in Markdown. */
export const OVERVIEW = inLines(`A cloud drive for software agents and the humans who own them.

**Where to begin.** \`/llms.txt\` and \`/skill.md\` say how to use this server, with a tour for the shell, and
\`GET /v0\` says the same in JSON. \`/\` is \`/llms.txt\` as well, for programs: without \`text/html\` in \`Accept\`.
\`/docs/api.md\` is this description in short, in Markdown: one line for each operation; \`/docs/api/{operationId}.md\`
has the details of one. Every response of \`/\`, every 401 and every 404 leads there by its \`Link\` header.

**Authentication.** \`POST /v0/drives/provision\` needs no account: it returns a drive, a key for it, and a link with
which a human can claim the drive. \`GET /v0/presigned/{token}\`, \`PUT /v0/uploads/{token}\`,
\`GET /v0/drives/claim/{token}\` and all under \`/v0/shared/{token}\` need only the token in their path. All other operations under \`/v0\` need a key, sent
as \`Authorization: Bearer <key>\`, or a session. A read-only key can only use GET and HEAD.

**Sessions.** People sign in at \`/auth/login\` with \`{"username", "password"}\` or, if a provider is configured, at
\`/auth/oidc/start?return_to=/path\`. Everyone whom the provider signs in can have an account, even if registration is
closed. The session is in the cookie \`coffer_session\`. It has the rights of a read-write account key. Changing a
password and managing users need a session. A session ends 30 days after its last use, or with \`POST /auth/logout\`.
With a session, a request that changes something must come from a page of this server, as its \`Origin\` header says.
So must signing in and out, if the browser says which page sends the request. A Bearer key in the \`Authorization\`
header, even an invalid one, disables the cookie.

**Applications.** A person can let an application in (OAuth 2.1, as MCP clients use it): see *Applications* below. Its
access token is an API key that expires. A key with an \`expires_at\` is refused from then on, as if it were revoked.

**Pages of other origins** may call everything under \`/v0\` and \`/mcp\` with a key in the \`Authorization\` header, and
read the API description (CORS), unless the server's administrator allows only some origins or none
(\`COFFER_CORS_ORIGINS\`). Preflight requests need no key and are not counted. Cookies are never allowed: a request
from another origin has no session. A download link works from any of these pages without a key. Provisioning works
from another origin only with a valid key, as it counts for the address of whoever looks at the page. The dashboard
and signing in are for pages of this server alone.

**Drives** are named by their id, or by their slug \`<username>/<drive-name>\`, URL-encoded in a path
(\`/v0/drives/ada%2Fnotes\`).

**Files** are named by their id (\`/v0/files/{id}/...\`), or by drive and path
(\`/v0/files/by-path/...?drive_id=...&path=notes/plan.md\`). Both work alike.

**Responses** are JSON, except for the content of files. Operations on drives, the account, its sessions and users
return \`{"data": ...}\`, and so do signing in and out. Other operations return the object or array itself; a page of
a list is \`{"data", "total", ...}\`. Creating a drive, file, folder, key or user returns 201; other successes are
200. HEAD works wherever GET does. An error is \`{"error": {"code", "message", "field"?, "request_id"}}\`: programs
should check \`code\`; \`field\` names the invalid field. What does not exist and what the caller may not see both
return the same 404.

**Requests.** JSON bodies may be up to ${kib(PLAIN_BODY)}, with ${PLAIN_BODY.items} values and names of fields: ${kib(METADATA_BODY)} and
${METADATA_BODY.items} where a file's metadata is changed, ${kib(TEXT_BODY)} for edits of texts, and ${kib(MESSAGE_BODY)} and ${MESSAGE_BODY.items} for
MCP, with at most ${MAX_ESCAPES} escapes, such as of line breaks, in their texts. Without a key, no body is longer than ${kib({ bytes: ANONYMOUS_BYTES })}. Uploads may be up to the server's limit, and
their other fields ${kib(METADATA_BODY)}. What is longer gets 413. The \`Content-Type\` makes no difference. A
body with a \`Content-Encoding\`, such as \`gzip\`, is refused with 415. Under \`/v0\` an unknown query parameter or
body field is refused with 400, which names it and the nearest known one; with the header \`Prefer: handling=lenient\` it
is ignored, and the response says \`Preference-Applied: handling=lenient\`. Only links that people open
(\`GET /v0/presigned/{token}\`, and \`download\` and \`archive\` of \`/v0/shared/{token}\`) ignore parameters that look like
none of theirs, since programs that pass links on add some. The names that the MCP tools give to the same things are
understood: \`drive\` for \`drive_id\`, \`destination_drive\` for \`destination_drive_id\`, \`query\` for \`q\`, \`mime_type\` and
\`content_type\` for each other, \`base64\` for \`content\` of an upload, and \`if_match\`, \`only_create\` and \`message\` for the headers
\`If-Match\`, \`If-None-Match: *\` and \`Change-Message\`. In a query, as the URL standard has it, \`+\` is a space: send \`%2B\` for a plus
sign. \`null\` for an optional field means that it is left out, unless the field gives it a meaning of its own. A byte-order
mark before JSON is skipped. A query parameter may be given only once, unless it is a list. Strings must be well-formed
Unicode. Ids are opaque. Times are ISO 8601, in UTC, with milliseconds. Do not pipeline: a request that is sent before
the previous response on its connection is complete closes the connection, and neither gets a response. If a request
with \`Connection: close\` is refused, the error is sent after its body was read, up to 64 MiB and 10 seconds. The
address and the headers may have 16 KiB together; above that, 431 is returned.

**Contents that are arriving** count as stored, with the length that \`Content-Length\` announces, so that what cannot
fit is refused before it is sent. At most ${UPLOAD_LIMITS.each} of more than 32 KiB may be under way with one key (429). One that comes more
slowly than the server allows, by default 1 KiB in a second, on average over a minute, is ended with 408.

**What is not HTTP** never reaches this API. The runtime below it answers, without a body and without an
\`X-Request-Id\`, and closes the connection: 400 to malformed HTTP, such as a request without \`Host\`, 413 to chunks
with long extensions, 431 to an address and headers of more than 64 KiB or to more than 200 headers, 505 to other
versions of HTTP. A method that it does not know, such as \`get\` or \`FROB\`, gets no response at all.

**Changes by several callers.** The content of a file has an ETag, its SHA-256, which uploads, downloads, copies and
moves return. The record of a file has its own, which \`GET\` and \`PATCH\` of \`/v0/files/{id}\` return: it changes with
everything that the record shows. \`If-Match\` takes either: a change is then refused with 412 if somebody else has
changed the file meanwhile. \`If-Unmodified-Since\` does the same with a time, in whole seconds.

**Rate limits.** Requests are counted per key, per account for its sessions, and per client address without a valid
key, in windows of 60 seconds that start at the first request. All keys of an account, including the keys of its drives,
also share one window of ${SHARED_FACTOR} times as many requests; so do all keys of an unclaimed drive. Sessions are for
people, and count apart from keys: all of an account together may send ${SESSION_REQUESTS} requests in a window, or as
many as one key if that is more.
Every response under \`/v0\` shows the window with the fewest requests left (\`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\`). Above the limit, 429 is returned with \`Retry-After\`.

**Storage limits.** An unclaimed drive holds contents of up to ${UNCLAIMED_STORAGE_BYTES} bytes, and an account as
much as its plan allows. What is stored beside contents has a limit of its own: ${RECORD_ROOM_BYTES} bytes, or the
plan's limit if that is more. Each file, folder, upload link and link to a page counts as ${RECORD_BYTES.entry} bytes,
each tag and presigned URL of a file as ${RECORD_BYTES.part}, and metadata as it is. The responses that are kept for an \`Idempotency-Key\`
have the same limit once more; above it, send requests without one. If a plan has no storage limit, it has none of
these limits. Above a limit, 403 \`QUOTA_EXCEEDED\` is returned.

**Headers.** Every response has an \`X-Request-Id\`: the client's own, if it sends one of 1 to 128 printable ASCII
characters without spaces. Responses must not be cached, except for the content of files, which has its own
\`Cache-Control\`.

**Monitoring.** \`GET /healthz\` returns \`{"status":"ok"}\` while the process runs, and \`GET /readyz\` while
everything works. Otherwise \`/readyz\` returns 503, and \`problems\` says why: \`storage_full\` (writes that need
space are refused with 507; deleting and signing in still work) \`disk_failed\` (all writes are refused with 503
until the server is restarted; reads still work) \`disk_unavailable\` (no disk of contents can be reached, and most files
answer 503) or \`contents_missing\` (the contents do not fit to the database, and many files answer 500). If only some of
several disks can be reached, \`unavailable_disks\` says how many cannot, and files on them answer 503. If the server makes backups, \`backup\` says when the last one
succeeded, and when one failed since. \`scrub\` shows the slow check of all contents: how much of this round
is done (\`progress\`, from 0 to 1), when the last one ended (\`finished_at\`), and how many contents are damaged. A file
whose content is damaged answers 500 until the same content is uploaded again. \`GET /metrics\` is for Prometheus, on the
server's machine or with a token of its own.

**Retries.** To retry a write safely, send it with an \`Idempotency-Key\`: it takes effect once, whatever happens to
the connection or the server. For 24 hours, the same request with the same key returns the first response again, with
\`Idempotency-Replayed: true\`. Only successful responses are kept, so a request that was refused can be corrected and
sent again. While the first request is still running, a retry gets 409 \`IDEMPOTENCY_IN_PROGRESS\`. A different
request with the same key gets 422 \`IDEMPOTENCY_KEY_REUSED\`. Two requests are the same if their method, path, query,
\`If-Match\`, \`If-None-Match\`, \`If-Unmodified-Since\` and body are equal, byte for byte; for an upload, its fields and its
content are compared instead of the body, however they are encoded. An \`Idempotency-Key\` belongs to its caller: the API
key, the account of a session, or else the client address. Use a new UUID for each request. Without an API key or
session, as when provisioning, the \`Idempotency-Key\` must have at least ${ANONYMOUS_KEY.characters} random characters, or it is
refused with 400: everyone at the same address who sends the same one gets the same response, secrets included. Kept
responses are encrypted. An API key that deletes itself or its drive cannot retry that request: it gets 401.`);

/** Each paragraph in one line: where one broke, "200." would begin a numbered list. */
function inLines(text: string): string {
  return text.replaceAll(/(?<!\n)\n(?!\n)/g, " ");
}

function kib({ bytes }: { readonly bytes: number }): string {
  return `${bytes / 1024} KiB`;
}
