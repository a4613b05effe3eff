import { describe, expect, test } from "bun:test";
import {
  expectCommonRules,
  expectJson,
  HELLO_DIGEST,
  holds,
  openStage,
  put,
  refused,
  runScenarios,
  type Scenario,
} from "../../support/server/scenario.ts";

const stage = openStage({ "max-file-size": "1000" });

const file = put("a", "Hello World!", { keeps: "file" });
const download = ["GET", "/v0/files/{file.id}/download"] as const;
const whole = { status: 200, contains: [/^Hello World!$/] } as const;
const drives = { status: 200, json: { data: [{ id: "{drive}" }] } };

/** One of each kind of answer; that each has the common headers is checked at every step. */
const KINDS: Scenario[] = [
  { name: "200", request: ["GET", "/v0/drives"], ...drives },
  { name: "200 to HEAD", request: ["HEAD", "/v0/drives"], status: 200, empty: true },
  { name: "201", ...put("b") },
  { name: "200 with content", given: [file], request: download, ...whole },
  {
    name: "206",
    given: [file],
    request: download,
    headers: { range: "bytes=0-1" },
    status: 206,
    contains: [/^He$/],
  },
  {
    name: "304",
    given: [file],
    request: download,
    headers: { "if-none-match": `"${HELLO_DIGEST}"` },
    status: 304,
    empty: true,
  },
  {
    name: "400, malformed JSON",
    request: ["POST", "/v0/folders"],
    body: "{",
    ...refused("VALIDATION_ERROR", "body"),
  },
  {
    name: "400, a field",
    request: ["POST", "/v0/keys"],
    body: { scope: "x" },
    ...refused("VALIDATION_ERROR", "scope"),
  },
  {
    name: "400, a path that does not decode",
    request: ["GET", "/v0/files/%ff"],
    ...refused("VALIDATION_ERROR"),
  },
  {
    name: "401 without a key",
    as: "nobody",
    request: ["GET", "/v0/drives"],
    ...refused("UNAUTHORIZED"),
    receives: { "www-authenticate": /^Bearer/ },
  },
  {
    name: "401 with a key that is none",
    as: "liar",
    request: ["GET", "/v0/drives"],
    ...refused("UNAUTHORIZED"),
    receives: { "www-authenticate": /^Bearer/ },
  },
  {
    name: "401 on a route that is none",
    as: "nobody",
    request: ["GET", "/v0/nothing"],
    ...refused("UNAUTHORIZED"),
  },
  { name: "403", as: "agentReader", request: ["POST", "/v0/keys"], ...refused("FORBIDDEN") },
  { name: "404, a file", request: ["GET", "/v0/files/nothing"], ...refused("NOT_FOUND") },
  { name: "404 to HEAD", request: ["HEAD", "/v0/files/nothing"], status: 404, empty: true },
  ...["/v0/nothing", "/v0/files/a/b/c", "/v0/FILES", "/v0/drives/provision/x"].map((path): Scenario => ({
    name: `404, the route ${path}`,
    request: ["GET", path],
    ...refused("NOT_FOUND"),
  })),
  { name: "404 without a key", as: "nobody", request: ["GET", "/v0/presigned/x"], ...refused("NOT_FOUND") },
  { name: "409", given: [file], ...put("a/b", "x", refused("CONFLICT")) },
  {
    name: "412",
    given: [file],
    ...put("a", "x", { headers: { "if-none-match": "*" }, ...refused("PRECONDITION_FAILED") }),
  },
  { name: "413, a file", ...put("b", "x".repeat(1001), refused("PAYLOAD_TOO_LARGE")) },
  {
    name: "413, a body",
    request: ["POST", "/v0/folders"],
    body: "x".repeat(1024 * 1024 + 1),
    ...refused("PAYLOAD_TOO_LARGE"),
  },
  {
    name: "410",
    given: [
      file,
      {
        request: ["POST", "/v0/files/{file.id}/presigned-url"],
        body: { one_time: true },
        status: 200,
        json: { token: expect.stringMatching(/^lnk_/) },
        keeps: "link",
      },
      { as: "nobody", request: ["GET", "/v0/presigned/{link.token}"], ...whole },
    ],
    as: "nobody",
    request: ["GET", "/v0/presigned/{link.token}"],
    ...refused("GONE"),
  },
  {
    name: "415",
    given: [put("a", "x", { headers: { "content-type": "image/png" }, keeps: "file" })],
    request: ["POST", "/v0/files/{file.id}/extract"],
    ...refused("UNSUPPORTED_MEDIA_TYPE"),
  },
  {
    name: "422",
    given: [put("a", "{", { headers: { "content-type": "application/json" }, keeps: "file" })],
    request: ["POST", "/v0/files/{file.id}/extract"],
    ...refused("EXTRACTION_FAILED"),
  },
  {
    name: "416",
    given: [file],
    request: download,
    headers: { range: "bytes=99-" },
    ...refused("RANGE_NOT_SATISFIABLE"),
  },
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
    ...kept.map((id): Scenario => ({
      name: `${id.slice(0, 40)} is kept`,
      request: ["GET", "/v0/drives"],
      headers: { "x-request-id": id },
      ...drives,
      receives: { "x-request-id": new RegExp(`^${RegExp.escape(id)}$`) },
    })),
    ...replaced.map((id): Scenario => ({
      name: `${JSON.stringify(id.slice(0, 40))} is replaced`,
      request: ["GET", "/v0/drives"],
      headers: { "x-request-id": id },
      ...drives,
      receives: { "x-request-id": /^[0-9a-f-]{36}$/ },
    })),
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
    {
      name: "without a key is 401",
      as: "nobody",
      request: ["PATCH", "/v0/files"],
      ...refused("UNAUTHORIZED"),
    },
    {
      name: "with a read-only key is 403",
      as: "agentReader",
      request: ["PATCH", "/v0/files"],
      ...refused("FORBIDDEN"),
    },
  ]);
});

describe("the order of checks", () => {
  const long = "x".repeat(2 * 1024 * 1024);
  const nowhere = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";
  runScenarios(stage, [
    {
      name: "authentication before size",
      as: "nobody",
      request: ["POST", "/v0/folders"],
      body: long,
      ...refused("UNAUTHORIZED"),
    },
    {
      name: "scope before size",
      as: "agentReader",
      request: ["POST", "/v0/folders"],
      body: long,
      ...refused("FORBIDDEN"),
    },
    { name: "account before size", request: ["POST", "/v0/drives"], body: long, ...refused("FORBIDDEN") },
    {
      name: "size before body",
      request: ["POST", "/v0/folders"],
      body: long,
      ...refused("PAYLOAD_TOO_LARGE"),
    },
    {
      name: "body before existence",
      request: ["PATCH", `/v0/files/${nowhere}`],
      body: { tags: 1 },
      ...refused("VALIDATION_ERROR", "tags"),
    },
    {
      name: "existence before state",
      request: ["PATCH", `/v0/files/${nowhere}`],
      body: {},
      headers: { "if-match": '"x"' },
      ...refused("NOT_FOUND"),
    },
  ]);
});

describe("bodies", () => {
  const body = '{"drive_id":"{drive}","path":"a/"}';
  const folders = ["POST", "/v0/folders"] as const;
  runScenarios(stage, [
    ...[
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "nonsense",
      "application/xml",
    ].map((type): Scenario => ({
      name: `JSON sent as ${type}`,
      request: folders,
      headers: { "content-type": type },
      body,
      status: 201,
      json: { path: "a/" },
    })),
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
    ].map((text): Scenario => ({
      name: `${JSON.stringify(text)} is refused`,
      request: folders,
      body: text,
      ...refused("VALIDATION_ERROR", "body"),
    })),
    {
      name: "bytes that are not UTF-8",
      request: folders,
      body: new Uint8Array([0x22, 0xff, 0x22]),
      ...refused("VALIDATION_ERROR", "body"),
    },
    {
      name: "nested too deeply",
      request: folders,
      body: `{"path":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      ...refused("VALIDATION_ERROR", "body"),
    },
    {
      name: "an answer is JSON whatever was asked for",
      request: ["GET", "/v0/drives"],
      headers: { accept: "text/html" },
      ...drives,
      receives: { "content-type": /^application\/json\b/ },
    },
    {
      name: "a refusal is as well",
      request: ["GET", "/v0/nothing"],
      headers: { accept: "text/html" },
      ...refused("NOT_FOUND"),
      receives: { "content-type": /^application\/json\b/ },
    },
    {
      name: "what was sent is not sent back as a page",
      request: ["GET", "/v0/%3Cscript%3E"],
      ...refused("NOT_FOUND"),
      omits: ["<script>"],
    },
    { name: "nothing was made on the way", ...holds() },
  ]);
});
