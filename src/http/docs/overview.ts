import { ANONYMOUS_KEY } from "../../domain/idempotency.ts";
import { SHARED_FACTOR } from "../../domain/limits.ts";

/** The introduction of the API description: what applies to every operation, in Markdown. */
export const OVERVIEW = `A cloud drive for software agents and the humans who own them.

**Getting in.** \`POST /v0/drives/provision\` needs no account: it answers with a drive, a key for it, and a link by
which a human can make the drive theirs. Every other operation under \`/v0\` takes a key as
\`Authorization: Bearer <key>\`, but for the two that a link's token opens: \`GET /v0/presigned/{token}\` and
\`GET /v0/drives/claim/{token}\`. A read-only key can only use GET and HEAD.

**People** sign in at \`/auth/login\` with \`{"username", "password"}\`, or at \`/auth/oidc/start?return_to=/path\` where a
provider is configured; whoever the provider lets in may have an account, also where registering is closed. The
session is in the cookie \`coffer_session\`, ends 30 days after its last use or with \`POST /auth/logout\`, and does here
what a read-write account key does. What changes something must then come from a page of this server (\`Origin\`), and
so must signing in and out, where a browser says what page asks. A key that is sent along with the cookie counts alone.

**Drives** are named by their identifier or by their slug \`<username>/<drive-name>\`, which is URL-encoded in a path
(\`/v0/drives/ada%2Fnotes\`).

**Answers** are JSON unless they are a file's content. Operations on drives, the account, its sessions and users
answer \`{"data": ...}\`, and so do signing in and out; the others answer bare, a page of a list as
\`{"data", "total", ...}\`. What makes a drive, a file, a folder or a key, or adds a user, answers 201, everything
else 200. HEAD works wherever GET does. A refusal is \`{"error": {"code", "message", "field"?, "request_id"}}\`:
programs go by \`code\`, and \`field\` names what was wrong. What does not exist and what the caller may not see get
the same 404.

**Requests.** JSON bodies are read whatever their Content-Type and may be up to 1 MiB, uploads up to the server's limit.
A body is sent as it is: one with a \`Content-Encoding\`, such as \`gzip\`, is refused with 415.
Unknown fields and parameters are ignored; a query parameter may be given only once, unless it is a list. Strings must be well-formed
Unicode. Identifiers are opaque. Times are ISO 8601, UTC, with milliseconds. Send the next request of a connection
only once the last one was answered: one that is pipelined behind an answer still under way closes the connection,
and neither is answered. A client that sends \`Connection: close\` gets a refusal once its body was read, up to 64 MiB
and 10 seconds.

**Limits.** Requests are counted per key, per account for its sessions, and per client address for callers without a
valid key, in windows of 60 seconds that start at the first request. All keys and sessions of an account, the keys of
its drives included, also share one window of ${SHARED_FACTOR} times as many requests; so do all keys of an unclaimed drive. Every
answer under \`/v0\` says how many are left in the window that has the fewest (\`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\`); 429 comes with \`Retry-After\`. Every answer has an \`X-Request-Id\`;
one that the client sends (1 to 128 printable ASCII characters, no spaces) is kept. No answer may be cached but
contents, which say so themselves.

**Monitoring.** \`GET /healthz\` answers \`{"status":"ok"}\` while the process runs, \`GET /readyz\` while it can
do all its work. Else that one is 503 and names what is wrong in \`problems\`: \`storage_full\`, when what takes room is
refused with 507 and deleting and signing in go on, or \`disk_failed\`, when every write is refused with 503 until the
server has been restarted and reads go on.

**Repeating a write.** A write that may have been lost on the way can be sent again safely if it carries an
\`Idempotency-Key\`: whatever happens to the connection or to the server, it takes effect once. For 24 hours the same
request with the same key gets the first answer again, with \`Idempotency-Replayed: true\`; only successes are kept, so
that a refused request may be corrected. While the first is still running the answer is 409
\`IDEMPOTENCY_IN_PROGRESS\`. Another request under the same key is refused with 422 \`IDEMPOTENCY_KEY_REUSED\`: the
same is one with the same method, path, query, \`If-Match\`, \`If-None-Match\` and body, byte for byte; of an upload,
its fields and its content, however they are encoded. An \`Idempotency-Key\` belongs to its caller: to the API key, to
the account of somebody signed in, else to the client address. Make it a new UUID. Where no API key is sent, as when
provisioning, it must have at least ${ANONYMOUS_KEY.characters} random characters, since whoever sends it from the same address is answered
with the same secrets; others are refused with 400. Answers are kept encrypted. An API key that deletes itself or its
drive cannot ask for the answer again: it gets 401.
`;
