import { describe, expect, test } from "bun:test";
import {
  expectCommonRules,
  expectJson,
  HELLO_DIGEST,
  holds,
  invalid,
  openStage,
  put,
  refused,
  row,
  runScenarios,
  type Scenario,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage({ "max-file-size": "1000" });

const file = put("a", "Hello World!", { keeps: "file" });
const download = "GET /v0/files/{file.id}/download" as const;
const whole = { status: 200, contains: [/^Hello World!$/] } as const;
const drives = { status: 200, json: { data: [{ id: "{drive}" }] } };

const challenged = { ...refused("UNAUTHORIZED"), receives: { "www-authenticate": /^Bearer/ } };

/** One of each kind of answer; that each has the common headers is checked at every step. */
const KINDS: Scenario[] = [
  row("200", "GET /v0/drives", drives),
  row("200 to HEAD", "HEAD /v0/drives", { empty: true }),
  row("201", put("b")),
  row("200 with content", download, { given: [file], ...whole }),
  row("206", download, { given: [file], headers: { range: "bytes=0-1" }, status: 206, contains: [/^He$/] }),
  row("304", download, {
    given: [file],
    headers: { "if-none-match": `"${HELLO_DIGEST}"` },
    status: 304,
    empty: true,
  }),
  row("400, malformed JSON", "POST /v0/folders", { body: "{", ...invalid("body") }),
  row("400, a field", "POST /v0/keys", { body: { scope: "x" }, ...invalid("scope") }),
  row("400, a path that does not decode", "GET /v0/files/%ff", refused("VALIDATION_ERROR")),
  row("401 without a key", "nobody GET /v0/drives", challenged),
  row("401 with a key that is none", "liar GET /v0/drives", challenged),
  row("401 on a route that is none", "nobody GET /v0/nothing", refused("UNAUTHORIZED")),
  row("403", "agentReader POST /v0/keys", refused("FORBIDDEN")),
  row("404, a file", "GET /v0/files/nothing", refused("NOT_FOUND")),
  row("404 to HEAD", "HEAD /v0/files/nothing", { status: 404, empty: true }),
  ...["/v0/nothing", "/v0/files/a/b/c", "/v0/FILES", "/v0/drives/provision/x"].map((path) =>
    row(`404, the route ${path}`, `GET ${path}`, refused("NOT_FOUND")),
  ),
  row("404 without a key", "nobody GET /v0/presigned/x", refused("NOT_FOUND")),
  row("409", put("a/b", "x", refused("CONFLICT")), { given: [file] }),
  row("412", put("a", "x", { headers: { "if-none-match": "*" }, ...refused("PRECONDITION_FAILED") }), {
    given: [file],
  }),
  row("413, a file", put("b", "x".repeat(1001), refused("PAYLOAD_TOO_LARGE"))),
  row("413, a body", "POST /v0/folders", {
    body: "x".repeat(1024 * 1024 + 1),
    ...refused("PAYLOAD_TOO_LARGE"),
  }),
  row("410", "nobody GET /v0/presigned/{link.token}", {
    given: [
      file,
      step("POST /v0/files/{file.id}/presigned-url", {
        body: { one_time: true },
        json: { token: expect.stringMatching(/^lnk_/) },
        keeps: "link",
      }),
      step("nobody GET /v0/presigned/{link.token}", whole),
    ],
    ...refused("GONE"),
  }),
  row("415", "POST /v0/files/{file.id}/extract", {
    given: [put("a", "x", { headers: { "content-type": "image/png" }, keeps: "file" })],
    ...refused("UNSUPPORTED_MEDIA_TYPE"),
  }),
  row("422", "POST /v0/files/{file.id}/extract", {
    given: [put("a", "{", { headers: { "content-type": "application/json" }, keeps: "file" })],
    ...refused("EXTRACTION_FAILED"),
  }),
  row("416", download, {
    given: [file],
    headers: { range: "bytes=99-" },
    ...refused("RANGE_NOT_SATISFIABLE"),
  }),
];

describe("the common headers are on", () => runScenarios(stage, KINDS));

describe("X-Request-Id", () => {
  const kept = [
    "a",
    "my-id-123",
    "~!@#$%^&*()_+{}|:<>?",
    "x".repeat(128),
    "00000000-0000-0000-0000-000000000000",
  ];
  const replaced = ["x".repeat(129), "two words", "caf\u00e9", "tab\there", "\u0080"];
  runScenarios(stage, [
    ...kept.map((id) =>
      row(`${id.slice(0, 40)} is kept`, "GET /v0/drives", {
        headers: { "x-request-id": id },
        ...drives,
        receives: { "x-request-id": new RegExp(`^${RegExp.escape(id)}$`) },
      }),
    ),
    ...replaced.map((id) =>
      row(`${JSON.stringify(id.slice(0, 40))} is replaced`, "GET /v0/drives", {
        headers: { "x-request-id": id },
        ...drives,
        receives: { "x-request-id": /^[0-9a-f-]{36}$/ },
      }),
    ),
    ...KINDS.map((kind): Scenario => ({
      ...kind,
      name: `is kept on ${kind.name}`,
      headers: { ...kind.headers, "x-request-id": "mine" },
      receives: { "x-request-id": "mine" },
    })),
  ]);

  test("each answer has another, and the log knows it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => stage.world.clients.agent.send("GET", "/v0/drives")),
    );
    const ids = answers.map(({ headers }) => headers.get("x-request-id") ?? "");
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(stage.coffer.lines.filter((line) => line.includes(id))).toHaveLength(1);
  });
});

describe("a wrong method", () => {
  test("is 405 with Allow, everywhere", async () => {
    const { paths } = await stage.coffer
      .client()
      .get<{ paths: Record<string, Record<string, unknown>> }>("/docs/openapi.json");
    for (const [template, operations] of Object.entries(paths)) {
      const path = template.replaceAll(/\{\w+\}/g, stage.world.files.ada);
      const known = Object.keys(operations).map((method) => method.toUpperCase());
      // A path without parameters is itself, even if it has the shape of others: `/v0/drives/provision` is no drive.
      const also = Object.entries(template === path ? {} : paths)
        .filter(([other]) => new RegExp(`^${other.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
        .flatMap(([, others]) => Object.keys(others).map((method) => method.toUpperCase()));
      // The dashboard's own page, which no program asks for and the description leaves out.
      if (path === "/auth/setup") also.push("GET");
      const allowed = [
        ...new Set([...known, ...also, ...([...known, ...also].includes("GET") ? ["HEAD"] : [])]),
      ].toSorted();
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (allowed.includes(method)) continue;
        const answer = await stage.world.clients.ada.send(method, path);
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect([path, answer.headers.get("allow")]).toEqual([path, allowed.join(", ")]);
        if (path.startsWith("/v0/")) expectCommonRules(method, answer);
        if (method !== "HEAD") expectJson(answer.text, { error: { code: "METHOD_NOT_ALLOWED" } });
      }
    }
  });

  runScenarios(stage, [
    row("without a key is 401", "nobody PATCH /v0/files", refused("UNAUTHORIZED")),
    row("with a read-only key is 403", "agentReader PATCH /v0/files", refused("FORBIDDEN")),
  ]);
});

describe("the order of checks", () => {
  const long = "x".repeat(2 * 1024 * 1024);
  const nowhere = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";
  runScenarios(stage, [
    row("authentication before size", "nobody POST /v0/folders", { body: long, ...refused("UNAUTHORIZED") }),
    row("scope before size", "agentReader POST /v0/folders", { body: long, ...refused("FORBIDDEN") }),
    row("account before size", "POST /v0/drives", { body: long, ...refused("FORBIDDEN") }),
    row("size before body", "POST /v0/folders", { body: long, ...refused("PAYLOAD_TOO_LARGE") }),
    row("body before existence", `PATCH /v0/files/${nowhere}`, {
      body: { tags: 1 },
      ...invalid("tags"),
    }),
    row("existence before state", `PATCH /v0/files/${nowhere}`, {
      body: {},
      headers: { "if-match": '"x"' },
      ...refused("NOT_FOUND"),
    }),
  ]);
});

describe("bodies", () => {
  const body = '{"drive_id":"{drive}","path":"a/"}';
  const folders = "POST /v0/folders" as const;
  runScenarios(stage, [
    ...[
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "nonsense",
      "application/xml",
    ].map((type) =>
      row(`JSON sent as ${type}`, folders, {
        headers: { "content-type": type },
        body,
        status: 201,
        json: { path: "a/" },
      }),
    ),
    ...[
      "{'a':1}",
      '{"a":1,}',
      "{a:1}",
      "NaN",
      "\u0000",
      '{"a":"\u0001"}',
      '{"path":"a/"',
      '{"path":"a/"}}',
      "// x\n{}",
    ].map((text) =>
      row(`${JSON.stringify(text)} is refused`, folders, {
        body: text,
        ...invalid("body"),
      }),
    ),
    row("bytes that are not UTF-8", folders, {
      body: new Uint8Array([0x22, 0xff, 0x22]),
      ...invalid("body"),
    }),
    row("nested too deeply", folders, {
      body: `{"path":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      ...invalid("body"),
    }),
    row("an answer is JSON whatever was asked for", "GET /v0/drives", {
      headers: { accept: "text/html" },
      ...drives,
      receives: { "content-type": /^application\/json\b/ },
    }),
    row("a refusal is as well", "GET /v0/nothing", {
      headers: { accept: "text/html" },
      ...refused("NOT_FOUND"),
      receives: { "content-type": /^application\/json\b/ },
    }),
    row("what was sent is not sent back as a page", "GET /v0/%3Cscript%3E", {
      ...refused("NOT_FOUND"),
      omits: ["<script>"],
    }),
    row("nothing was made on the way", holds()),
  ]);
});
