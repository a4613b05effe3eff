/** What holds for every operation, in Markdown: the description's introduction. */
export const OVERVIEW = `A cloud drive for software agents and the humans who own them.

**Getting in.** \`POST /v0/drives/provision\` needs no account: it answers with a drive, a key for it, and a link by
which a human can make the drive theirs. Every other operation takes a key as \`Authorization: Bearer <key>\`.
A read-only key can only use GET and HEAD.

**Drives** are named by their identifier or by their slug \`<username>/<drive-name>\`, which is URL-encoded in a path
(\`/v0/drives/ada%2Fnotes\`).

**Answers** are JSON unless they are a file's content. Drive and account operations answer \`{"data": ...}\`, the others
answer bare. Creating answers 201, everything else 200. HEAD works wherever GET does. A refusal is
\`{"error": {"code", "message", "field"?, "request_id"}}\`: programs go by \`code\`, and \`field\` names what was wrong.
What does not exist and what the caller may not see get the same 404.

**Requests.** JSON bodies are read whatever their Content-Type and may be up to 1 MiB, uploads up to the server's limit.
Unknown fields and parameters are ignored; a query parameter may be given only once. Strings must be well-formed
Unicode. Identifiers are opaque. Times are ISO 8601, UTC, with milliseconds.

**Limits.** Requests are counted per key, and per client address for callers without a valid key, in windows of 60
seconds that start at the first request. Every answer under \`/v0\` says how many are left (\`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\`); 429 comes with \`Retry-After\`. Every answer has an \`X-Request-Id\`;
one that the client sends (1 to 128 printable ASCII characters, no spaces) is kept.
`;
