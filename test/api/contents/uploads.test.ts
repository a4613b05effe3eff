import { describe, expect, test } from "bun:test";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { type Expected, invalid, NOWHERE, refused, step, type Step } from "../../support/server/steps.ts";
import {
  accepted,
  FORM_TYPE,
  formOf,
  HELLO,
  HELLO_DIGEST,
  holds,
  post,
  put,
  rejected,
} from "../../support/server/uploads.ts";

const stage = openStage();

const NEW_RECORD = {
  id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  drive_id: "{drive}",
  path: "f.txt",
  filename: "f.txt",
  mime_type: "text/plain",
  size: 12,
  content_hash: `sha256:${HELLO_DIGEST}`,
  content_preview: "Hello World!",
  tags: [],
  metadata: {},
  expires_at: null,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
};

const BYTES = { mime_type: "application/octet-stream" };
const HELLO_HASH = { content_hash: `sha256:${HELLO_DIGEST}` };

// How bodies are read, whole and cut, is tried in test/http/upload and test/properties/uploads.test.ts.
describe("JSON", () => {
  const ofText = ["text/plain", "application/json; charset=utf-8"];
  const types = [...ofText, "application/x-www-form-urlencoded", "image/png"];
  runScenarios(stage, {
    "answers the new record, whole, and its ETag": [
      post({}, { json: NEW_RECORD, receives: { etag: `"${HELLO_DIGEST}"` }, keeps: "made" }),
      step("GET /v0/files/{made.id}", { json: NEW_RECORD }),
      step("GET /v0/files/{made.id}/download", { contains: [/^Hello World!$/] }),
    ],
    "an empty content": accepted({ content: "" }, { size: 0, content_preview: "" }),
    "an unknown field": rejected({ colour: "red" }, "colour"),
    "a text as it is": accepted(
      { content: null, text: "Hello World!" },
      { size: 12, ...HELLO_HASH, mime_type: "text/plain" },
    ),
    "a text whose name says nothing is one": accepted(
      { content: null, text: "a", filename: "TODO" },
      { mime_type: "text/plain" },
    ),
    "a content that says that it is text": accepted(
      { content: "Hello World!", encoding: "utf-8", filename: "TODO" },
      { ...HELLO_HASH, mime_type: "text/plain" },
    ),
    "bytes whose name says nothing are bytes": accepted({ filename: "TODO" }, BYTES),
    "base64 by the name that MCP gives it": accepted({ content: null, base64: HELLO }, HELLO_HASH),
    "a content and a text": rejected({ text: "a" }, "text"),
    "a text that is a number": rejected({ content: null, text: 5 }, "text"),
    "an encoding that is none": rejected({ encoding: "gzip" }, "encoding"),
    "a content that is plainly words": [
      { ...post({ filename: "notes.md", content: "todo" }, invalid("content")), contains: ["`text`"] },
      holds(),
    ],
    "no content": rejected({ content: null }, "content"),
    "a content that is an object": rejected({ content: { content: HELLO } }, "content"),
    "a filename that is a number": rejected({ filename: 12 }, "filename"),
    "a path and a type that are null": accepted({ path: null, content_type: null }, { path: "f.txt" }),
    "a mark, white space, escapes, and another content within the metadata": step("POST /v0/files", {
      body: `\ufeff{"filename":"f.txt", "metadata":{"content":[{"content":1}]},\t"\\u0063ontent"\n:\n"\\u0053GVs\\nbG8gV29ybGQh","drive_id":"{drive}"}\n`,
      status: 201,
      json: { ...NEW_RECORD, metadata: { content: [{ content: 1 }] } },
    }),
    "into a drive that is not there": post({ drive_id: NOWHERE }, refused("NOT_FOUND")),
    "into one's drive by slug": post(
      { drive_id: "ada/notes", path: "by-slug.txt" },
      { as: "ada", json: { drive_id: "{drives.ada}" } },
    ),
  });
  runEach(stage, types, (type) => [
    `sent as ${type}`,
    post({}, { headers: { "content-type": type }, json: NEW_RECORD }),
  ]);
  runEach(stage, ["drive_id", "filename", "content"], (missing) => {
    const fields = { drive_id: "{drive}", filename: "f.txt", content: HELLO };
    const body = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== missing));
    return [`without ${missing}`, step("POST /v0/files", { body, ...invalid(missing) })];
  });
  runEach(stage, ["", "null", `{"content":"${HELLO}"`], (body) => [
    `the body ${JSON.stringify(body)}`,
    step("POST /v0/files", { body, ...invalid("body") }),
    holds(),
  ]);
});

describe("base64", () => {
  runScenarios(stage, {
    "in lines, without its padding": accepted({ content: " SGVs\r\nbG8g \n\tV29ybGQ" }, { size: 11 }),
    "a URL of data is refused at its colon": [
      post({ content: "data:text/plain;base64,AAAA" }, { ...invalid("content"), contains: [/position 4\b/] }),
      holds(),
    ],
  });
});

type Part = readonly [field: string, content: string, parameters?: string];

/** A form of fields and files. */
function form(parts: readonly Part[], more: Expected): Step {
  const body = formOf(
    ...parts.map(([field, content, rest = ""]) => [`name="${field}"${rest}`, content] as const),
  );
  return step("POST /v0/files", { headers: FORM_TYPE, body, status: 201, ...more });
}

describe("multipart", () => {
  const drive: Part = ["drive_id", "{drive}"];
  const file: Part = ["file", "Hello World!", '; filename="f.txt"'];
  const own = ["file", "x", '; filename="f.txt"\r\nContent-Type: text/x-own'] as const;
  const others = { filename: "g.md", metadata: { content: 1 } };
  const type: Part = ["content_type", "text/x-own"];
  const expiry: Part = ["expires_at", "2031-01-01T00:00:00Z"];
  const before: Part[] = [["tags", "a"], ["path", "notes/"], file, ["tags", "b"], drive];
  const every: Part[] = [...before, ["filename", "g.md"], type, ["metadata", '{"content":1}'], expiry];
  const everything = {
    ...others,
    path: "notes/g.md",
    mime_type: "text/x-own",
    tags: ["a", "b"],
    expires_at: "2031-01-01T00:00:00.000Z",
  };
  const mcp: Part[] = [["drive", "{drive}"], ["mime_type", "text/x-own"], ["only_create", "true"], file];
  const text: Part[] = [drive, ["text", "Hello World!"], ["filename", "TODO"]];
  const other: Part = ["avatar", "x", '; filename="f"'];
  const cut = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nHel';
  runScenarios(stage, {
    "the file first": form([file, drive], { json: NEW_RECORD }),
    "every field": form(every, { json: everything }),
    "the file's own type": form([drive, own], { json: { mime_type: "text/x-own" } }),
    "a text, as the content": form(text, { json: { mime_type: "text/plain", ...HELLO_HASH } }),
    "names of MCP, and a condition": form(mcp, { json: { mime_type: "text/x-own" } }),

    "an encoding": [form([drive, file, ["encoding", "base64"]], invalid("encoding")), holds()],
    "an unknown field": [form([drive, ["colour", "red"], file], invalid("colour")), holds()],
    "no file": [form([drive, ["filename", "f"]], invalid("content")), holds()],
    "no drive": [form([file], invalid("drive_id")), holds()],
    "a file under another name": [
      {
        ...form([drive, other], invalid("avatar")),
        contains: ["avatar is not a field of this request.", "the part `file`"],
      },
      holds(),
    ],
    "cut off": [{ ...form([drive, file], invalid("body")), body: cut }, holds()],
  });
});

/** An upload of a byte, which gives a record with at least `json`. */
function at(query: string, json: object, type?: string): Step {
  const headers = type === undefined ? {} : { "content-type": type };
  return step(`PUT /v0/files?drive_id={drive}&${query}`, { body: "x", headers, status: 201, json });
}

const metadata = (json: string) => `path=a&metadata=${encodeURIComponent(json)}`;

describe("PUT", () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const hash = `sha256:${Bun.SHA256.hash(everyByte, "hex")}`;
  const plain = { mime_type: "text/plain" };
  const record = { ...NEW_RECORD, path: "a/b/f.txt" };
  const bad = ["[]", "{", "1", '{"n":1e400}', '{"a":"\\ud800"}'];
  const inMetadata = { code: "VALIDATION_ERROR", field: expect.stringMatching(/^metadata/) };
  runScenarios(stage, {
    "every byte as it is": put("a.bin", everyByte, { json: { size: 256, content_hash: hash } }),
    "an empty body": put("a.txt", "", { json: { size: 0 } }),
    "the filename is the path's last segment": put("a/b/f.txt", "Hello World!", { json: record }),
    "into a folder": at("path=a/&filename=f.txt", { path: "a/f.txt" }),
    "metadata in place of others, while tags stay": [
      at('path=a&tags=t&metadata={"a":{"n":1}}', { tags: ["t"], metadata: { a: { n: 1 } } }),
      { ...at('path=a&metadata={"b":2}', { tags: ["t"], metadata: { b: 2 } }), status: 200 },
    ],
    "a type of its own": at("path=a.txt", { mime_type: "text/x-own" }, "text/x-own"),
    "curl's default type says nothing": at("path=a.txt", plain, "application/x-www-form-urlencoded"),
    "octet-stream says nothing": at("path=a.txt", plain, "application/octet-stream"),
    "content_type goes before the header": at(
      "path=a.txt&content_type=text/x-one",
      { mime_type: "text/x-one" },
      "text/x-two",
    ),
    "a JSON body is a file like any other": put("a.json", '{"content":"!"}', {
      json: { size: 15, mime_type: "application/json" },
    }),

    "into a folder without a filename": [{ ...at("path=a/", {}), ...invalid("filename") }, holds()],
    "without a path": [{ ...at("", {}), ...invalid("path") }, holds()],
    "without a drive": [step("PUT /v0/files?path=a", { body: "x", ...invalid("drive_id") }), holds()],
    "a parameter twice": [{ ...at("path=a&path=b", {}), ...invalid("path") }, holds()],
  });
  runEach(stage, bad, (json) => [
    `metadata that is ${json}`,
    { ...at(metadata(json), { error: inMetadata }), status: 400 },
    holds(),
  ]);
});

describe("a path that is taken", () => {
  const old = post(
    { tags: ["old"], metadata: { old: true }, expires_at: "2031-01-01T00:00:00Z" },
    { keeps: "old" },
  );
  const other = { content: "b3RoZXI=" };
  const unchanged: Step = step("GET /v0/files/{old.id}", {
    json: { size: 12, tags: ["old"], metadata: { old: true } },
  });
  const absent = "f".repeat(64);
  // What holds is tried with all headers in test/properties/headers.test.ts.
  const conditions: [name: string, headers: Record<string, string>, holds: boolean][] = [
    ["If-None-Match: *", { "if-none-match": "*" }, false],
    ["If-None-Match of another ETag", { "if-none-match": `"${absent}"` }, true],
    ["If-Match of its ETag", { "if-match": `"${HELLO_DIGEST}"` }, true],
    ["If-Match of another ETag", { "if-match": `"${absent}"` }, false],
    ["If-Match of its ETag without quotes", { "if-match": HELLO_DIGEST }, false],
  ];
  const replaced = {
    id: "{old.id}",
    created_at: "{old.created_at}",
    size: 5,
    content_preview: "other",
    tags: [],
    metadata: {},
    expires_at: null,
  };
  const failed = refused("PRECONDITION_FAILED");
  runAfter(stage, [old], {
    "gets the new content and attributes, and keeps its id and created_at": [
      post(other, { status: 200, json: replaced }),
      step("GET /v0/files/{old.id}/download", { contains: [/^other$/] }),
      holds("f.txt"),
    ],
    "by PUT as well": put("f.txt", "other", { status: 200, json: { id: "{old.id}", size: 5 } }),
  });
  runEach(stage, conditions, ([name, headers, held]) =>
    held
      ? [
          `${name} holds`,
          old,
          post(other, { headers, status: 200, json: { id: "{old.id}", size: 5 } }),
          holds("f.txt"),
        ]
      : [`${name} does not hold`, old, post(other, { headers, ...failed }), unchanged, holds("f.txt")],
  );
  const folder = { body: { drive_id: "{drive}", path: "a/" }, status: 201, json: { path: "a/" } };
  const taken = refused("CONFLICT");
  runScenarios(stage, {
    "If-None-Match: * at a free path": [
      put("new.txt", "x", { headers: { "if-none-match": "*" } }),
      holds("new.txt"),
    ],
    "If-Match at a free path": [put("new.txt", "x", { headers: { "if-match": "*" }, ...failed }), holds()],
    "a file below a file": [put("a"), put("a/b", "x", taken), holds("a")],
    "a file deep below a file": [put("a"), put("a/b/c/d", "x", taken), holds("a")],
    "a file where a folder stands": [put("a/b"), put("a", "x", taken), holds("a/b")],
    "a file where an empty folder stands": [step("POST /v0/folders", folder), put("a", "x", taken), holds()],
    "names that differ in case are two files": [put("a.txt"), put("A.txt"), holds("A.txt", "a.txt")],
  });

  test("updated_at moves on, created_at does not", async () => {
    const own = await stage.ownDrive();
    const body = { drive_id: own.id, filename: "f", content: HELLO };
    const first = await own.client.post<{ created_at: string }>("/v0/files", body);
    stage.coffer.clock.advance(1000);
    const second = await own.client.post<{ created_at: string; updated_at: string }>("/v0/files", body, 200);
    expect(second.created_at).toBe(first.created_at);
    expect(Date.parse(second.updated_at) - Date.parse(first.created_at)).toBe(1000);
  });
});
