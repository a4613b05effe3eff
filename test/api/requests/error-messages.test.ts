import { describe, expect, test } from "bun:test";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { invalid, NOWHERE, refused, step } from "../../support/server/steps.ts";
import { HELLO, put } from "../../support/server/uploads.ts";

const stage = openStage();

/** What a caller does wrong, and what the error must say so that the next try succeeds. */
describe("the error says what to do next for", () => {
  runScenarios(stage, {
    "a method that a path has not, where another path has a parameter": step("GET /v0/drives/provision", {
      ...refused("METHOD_NOT_ALLOWED"),
      receives: { allow: "POST" },
      contains: ["only POST", "/docs/api.md"],
    }),
    "the same with a slash at its end": step("DELETE /v0/files/bulk-delete/", {
      ...refused("METHOD_NOT_ALLOWED"),
      receives: { allow: "POST" },
      contains: ["only POST"],
    }),
    "HEAD where there is no GET": step("HEAD /v0/drives/claim", {
      status: 405,
      receives: { allow: "POST" },
      empty: true,
    }),
    "an upload to a path that there is not": step("POST /v0/files/upload", {
      ...refused("METHOD_NOT_ALLOWED"),
      contains: ["Did you mean `POST /v0/files`"],
    }),
    "a slug in a path, with its slash as it is": step("GET /v0/drives/ada/notes", {
      ...refused("NOT_FOUND"),
      contains: ["the slash of a slug is written %2F"],
    }),
    "a route that is like none": step("GET /v0/%3Cscript%3E/a/b/c/d/e", {
      ...refused("NOT_FOUND"),
      contains: ["No such route. /docs/api.md"],
      omits: ["script"],
    }),
    "a form in place of JSON": step("POST /v0/folders", {
      body: "drive_id=x&path=a%2F",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      ...invalid("body"),
      contains: ["body looks like a form, but must be JSON"],
    }),
    "a form in place of an upload in JSON": step("POST /v0/files", {
      body: "drive_id=x&path=a%2F",
      ...invalid("body"),
      contains: ["body looks like a form, but must be JSON"],
    }),
    "an upload in malformed JSON": step("POST /v0/files", {
      body: `{"drive_id": "{drive}", "content": "${HELLO}", filename: "x"}`,
      ...invalid("body"),
      contains: [/malformed JSON at line 1, column \d+: put names and texts in double quotes \(the content/],
    }),
    "a drive that there is not": step("GET /v0/files?drive_id=nothing", {
      ...refused("NOT_FOUND"),
      contains: ["No such drive. List your drives"],
    }),
    "a file that there is not": step(`GET /v0/files/${NOWHERE}`, {
      ...refused("NOT_FOUND"),
      contains: ["No such file. List or search"],
    }),
    "a link that there is not": step("GET /v0/presigned/x", {
      ...refused("NOT_FOUND"),
      contains: ["No such link. Check"],
    }),
    "a path that is taken": [
      put("a/b"),
      put("a/b/c", "x", { ...refused("CONFLICT"), contains: ["Choose another path"] }),
    ],
    "a document that is read as if it was a text": [
      put("a.pdf", "x", { keeps: "file" }),
      step("GET /v0/files/{file.id}/text", { ...refused("UNSUPPORTED_MEDIA_TYPE"), contains: ["extract"] }),
    ],
    "an ETag that is out of date": [
      put("a"),
      put("a", "x", {
        headers: { "if-match": '"old"' },
        ...refused("PRECONDITION_FAILED"),
        contains: ["Read it again, and send its new ETag"],
      }),
    ],
    "a file that is there already": [
      put("a"),
      put("a", "x", {
        headers: { "if-none-match": "*" },
        ...refused("PRECONDITION_FAILED"),
        contains: ["leave the header out"],
      }),
    ],
    "a write with a read-only key": step("agentReader POST /v0/keys", {
      body: {},
      ...refused("FORBIDDEN"),
      contains: ["Use a key with the scope read-write"],
    }),
    "an account operation with the key of a drive": step("POST /v0/drives", {
      body: { name: "x" },
      ...refused("FORBIDDEN"),
      contains: ["/keys"],
    }),
    "a claim token that is none": step("ada POST /v0/drives/claim", {
      body: { token: "clm_x" },
      ...refused("NOT_FOUND"),
      contains: ["Check that the claim link is complete"],
    }),
  });
});

test.each([
  ["GET", "/v0/drive", "GET /v0/drives"],
  ["POST", "/v0/provision", "POST /v0/drives/provision"],
  ["GET", "/v1/files", "GET /v0/files"],
  ["GET", "/files", "GET /v0/files"],
  ["GET", "/api/v0/files", "GET /v0/files"],
  ["GET", `/v0/file/${NOWHERE}`, "GET /v0/files/{id}"],
  ["GET", `/v0/files/${NOWHERE}/downlaod`, "GET /v0/files/{id}/download"],
  ["GET", "/v0/FILES", "GET /v0/files"],
  ["GET", "/v0/usage", "GET /v0/account/usage"],
])("the nearest route to %s %s is %s", async (method, path, meant) => {
  const { status, text } = await stage.world.clients.agent.send(method, path);
  expect([status, text]).toEqual([404, expect.stringContaining(`No such route. Did you mean \`${meant}\``)]);
  expect(text).toContain("/docs/openapi.json");
});
