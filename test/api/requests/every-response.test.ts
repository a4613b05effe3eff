import { describe, expect, test } from "bun:test";
import { Description } from "../../support/schemas/description.ts";
import {
  expectCommonRules,
  expectJson,
  openStage,
  runEach,
  runScenarios,
  type Scenarios,
} from "../../support/server/scenario.ts";
import { invalid, refused, refuses, step } from "../../support/server/steps.ts";
import { HELLO_DIGEST, put } from "../../support/server/uploads.ts";

const stage = openStage({ "max-file-size": "1000" });

const file = put("a", "Hello World!", { keeps: "file" });
const download = "GET /v0/files/{file.id}/download" as const;
const whole = { status: 200, contains: [/^Hello World!$/] } as const;
const drives = { status: 200, json: { data: [{ id: "{drive}" }] } };

const challenged = { ...refused("UNAUTHORIZED"), receives: { "www-authenticate": /^Bearer/ } };

/** One of each kind of answer; that each has the common headers is checked at every step. */
const KINDS: Scenarios = {
  "200": step("GET /v0/drives", drives),
  "200 to HEAD": step("HEAD /v0/drives", { empty: true }),
  "201": put("b"),
  "200 with content": [file, step(download, whole)],
  "206": [file, step(download, { headers: { range: "bytes=0-1" }, status: 206, contains: [/^He$/] })],
  "304": [
    file,
    step(download, { headers: { "if-none-match": `"${HELLO_DIGEST}"` }, status: 304, empty: true }),
  ],
  "400, malformed JSON": step("POST /v0/folders", { body: "{", ...invalid("body") }),
  "400, a field": step("POST /v0/keys", { body: { scope: "x" }, ...invalid("scope") }),
  "400, a path that does not decode": refuses("GET /v0/files/%ff", "VALIDATION_ERROR"),
  "401 without a key": step("nobody GET /v0/drives", challenged),
  "401 with a key that is none": step("liar GET /v0/drives", challenged),
  "401 on a route that is none": refuses("nobody GET /v0/nothing", "UNAUTHORIZED"),
  "403": refuses("agentReader POST /v0/keys", "FORBIDDEN"),
  "404, a file": refuses("GET /v0/files/nothing", "NOT_FOUND"),
  "404 to HEAD": step("HEAD /v0/files/nothing", { status: 404, empty: true }),
  ...Object.fromEntries(
    ["/v0/nothing", "/v0/files/a/b/c", "/v0/FILES", "/v0/drives/provision/x"].map((path) => [
      `404, the route ${path}`,
      refuses(`GET ${path}`, "NOT_FOUND"),
    ]),
  ),
  "404 without a key": refuses("nobody GET /v0/presigned/x", "NOT_FOUND"),
  "409": [file, put("a/b", "x", refused("CONFLICT"))],
  "412": [file, put("a", "x", { headers: { "if-none-match": "*" }, ...refused("PRECONDITION_FAILED") })],
  "413, a file": put("b", "x".repeat(1001), refused("PAYLOAD_TOO_LARGE")),
  "413, a body": step("POST /v0/folders", {
    body: "x".repeat(1024 * 1024 + 1),
    ...refused("PAYLOAD_TOO_LARGE"),
  }),
  "410": [
    file,
    step("POST /v0/files/{file.id}/presigned-url", {
      body: { one_time: true },
      json: { token: expect.stringMatching(/^lnk_/) },
      keeps: "link",
    }),
    step("nobody GET /v0/presigned/{link.token}", whole),
    refuses("nobody GET /v0/presigned/{link.token}", "GONE"),
  ],
  "415": [
    put("a", "x", { headers: { "content-type": "image/png" }, keeps: "file" }),
    refuses("POST /v0/files/{file.id}/extract", "UNSUPPORTED_MEDIA_TYPE"),
  ],
  "422": [
    put("a", "{", { headers: { "content-type": "application/json" }, keeps: "file" }),
    refuses("POST /v0/files/{file.id}/extract", "EXTRACTION_FAILED"),
  ],
  "416": [file, step(download, { headers: { range: "bytes=99-" }, ...refused("RANGE_NOT_SATISFIABLE") })],
};

describe("the common headers are on", () => runScenarios(stage, KINDS));

describe("X-Request-Id", () => {
  runEach(stage, Object.entries(KINDS), ([name, steps]) => [
    `is kept on ${name}`,
    ...[steps].flat().map((each) => ({
      ...each,
      headers: { ...each.headers, "x-request-id": "mine" },
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
    const { operations } = await Description.of(stage.coffer.client());
    for (const template of new Set(operations.map((each) => each.path))) {
      const path = template.replaceAll(/\{\w+\}/g, stage.world.files.ada);
      // A path without parameters is itself, even if it has the shape of others: `/v0/drives/provision` is no drive.
      const isLike = (other: string) =>
        template === path
          ? other === path
          : new RegExp(`^${other.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
      const known = new Set(operations.filter((each) => isLike(each.path)).map(({ method }) => method));
      // The dashboard's own page, which no program asks for and the description leaves out.
      if (path === "/auth/setup") known.add("GET");
      if (known.has("GET")) known.add("HEAD");
      const allowed = [...known].toSorted();
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

  runScenarios(stage, {
    "without a key is 401": refuses("nobody PATCH /v0/files", "UNAUTHORIZED"),
    "with a read-only key is 403": refuses("agentReader PATCH /v0/files", "FORBIDDEN"),
  });
});

describe("the order of checks", () => {
  const long = "x".repeat(2 * 1024 * 1024);
  const nowhere = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";
  runScenarios(stage, {
    "authentication before size": step("nobody POST /v0/folders", { body: long, ...refused("UNAUTHORIZED") }),
    "scope before size": step("agentReader POST /v0/folders", { body: long, ...refused("FORBIDDEN") }),
    "account before size": step("POST /v0/drives", { body: long, ...refused("FORBIDDEN") }),
    "size before body": step("POST /v0/folders", { body: long, ...refused("PAYLOAD_TOO_LARGE") }),
    "body before existence": step(`PATCH /v0/files/${nowhere}`, { body: { tags: 1 }, ...invalid("tags") }),
    "existence before state": step(`PATCH /v0/files/${nowhere}`, {
      body: {},
      headers: { "if-match": '"x"' },
      ...refused("NOT_FOUND"),
    }),
  });
});

describe("an answer is JSON whatever was asked for", () => {
  const asked = { headers: { accept: "text/html" }, receives: { "content-type": /^application\/json\b/ } };
  runScenarios(stage, {
    "where it is given": step("GET /v0/drives", { ...asked, ...drives }),
    "where it is refused": step("GET /v0/nothing", { ...asked, ...refused("NOT_FOUND") }),
  });
});
