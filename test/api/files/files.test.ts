import { describe, expect, test } from "bun:test";
import type { Json } from "../../support/server/client.ts";
import {
  HELLO_DIGEST,
  holds,
  openStage,
  post,
  put,
  refused,
  runScenarios,
  type Expected,
  type Scenario,
  type Step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const ETAG = `"${HELLO_DIGEST}"`;
const OTHER_ETAG = `"${"0".repeat(64)}"`;
const NOWHERE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

/** `notes/hello.txt` with everything a file can have. */
const hello = post(
  {
    filename: "hello.txt",
    path: "notes/hello.txt",
    tags: ["a", "b"],
    metadata: { n: 1 },
    expires_at: "2031-01-01T00:00:00Z",
  },
  { keeps: "file" },
);

function get(expected: Partial<Step> = {}): Step {
  return { request: ["GET", "/v0/files/{file.id}"], status: 200, json: { id: "{file.id}" }, ...expected };
}

function patch(body: Json, expected: Partial<Step> = {}): Step {
  return {
    request: ["PATCH", "/v0/files/{file.id}"],
    body,
    status: 200,
    json: { id: "{file.id}" },
    ...expected,
  };
}

function copy(body: { [name: string]: Json }, expected: Partial<Step> = {}): Step {
  const json = { content_hash: "{file.content_hash}" };
  return { request: ["POST", "/v0/files/{file.id}/copy"], body, status: 201, json, ...expected };
}

function move(body: { [name: string]: Json }, expected: Partial<Step> = {}): Step {
  const json = { id: "{file.id}" };
  return { request: ["POST", "/v0/files/{file.id}/move"], body, status: 200, json, ...expected };
}

const unchanged = get({
  json: {
    path: "notes/hello.txt",
    filename: "hello.txt",
    mime_type: "text/plain",
    tags: ["a", "b"],
    metadata: { n: 1 },
    expires_at: "2031-01-01T00:00:00.000Z",
    drive_id: "{drive}",
  },
});

describe("GET", () => {
  runScenarios(stage, [
    {
      name: "shows the record and its own ETag",
      given: [hello],
      ...unchanged,
      receives: { etag: new RegExp(`^"${HELLO_DIGEST}\\.[0-9a-f]{16}"$`) },
    },
    ...[NOWHERE, "nonsense", "%00", "..%2f..", "{files.ada}"].map((id): Scenario => ({
      name: `${id} is not there`,
      request: ["GET", `/v0/files/${id}`],
      ...refused("NOT_FOUND"),
    })),
  ]);
});

describe("PATCH", () => {
  const renames: [
    name: string,
    start: { [name: string]: Json },
    change: Json,
    path: string,
    filename: string,
  ][] = [
    ["a filename takes the path along", {}, { filename: "new.md" }, "notes/new.md", "new.md"],
    [
      "a filename leaves a path that was another",
      { path: "notes/x" },
      { filename: "new.md" },
      "notes/x",
      "new.md",
    ],
    ["a path brings its last segment", {}, { path: "a/new.md" }, "a/new.md", "new.md"],
    ["a path and a filename stand side by side", {}, { path: "a/x", filename: "new.md" }, "a/x", "new.md"],
    ["a path that is a folder keeps the filename", {}, { path: "a/" }, "a/hello.txt", "hello.txt"],
    [
      "a path that is a folder takes the new filename",
      {},
      { path: "a/", filename: "n.md" },
      "a/n.md",
      "n.md",
    ],
    ["the root", {}, { path: "/" }, "hello.txt", "hello.txt"],
    ["a leading slash is dropped", {}, { path: "/a/b.txt" }, "a/b.txt", "b.txt"],
    [
      "a path that stays keeps the filename",
      { path: "notes/x" },
      { path: "notes/x" },
      "notes/x",
      "hello.txt",
    ],
    ["into a folder below its own", {}, { path: "notes/deep/er/f.txt" }, "notes/deep/er/f.txt", "f.txt"],
    ["a decomposed filename", {}, { filename: "e\u0301.txt" }, "notes/\u00e9.txt", "e\u0301.txt"],
    ["only the filename's case", {}, { filename: "HELLO.txt" }, "notes/HELLO.txt", "HELLO.txt"],
  ];
  const bad: [body: Json, field: string][] = [
    [{ filename: "" }, "filename"],
    [{ filename: "a/b" }, "filename"],
    [{ filename: ".." }, "filename"],
    [{ filename: "a\u0000" }, "filename"],
    [{ filename: "x".repeat(256) }, "filename"],
    [{ filename: 5 }, "filename"],
    [{ path: "" }, "path"],
    [{ path: "../x" }, "path"],
    [{ path: "a//b" }, "path"],
    [{ path: "a\\b" }, "path"],
    [{ path: "x/".repeat(600) + "y" }, "path"],
    [{ tags: "a" }, "tags"],
    [{ tags: [""] }, "tags[0]"],
    [{ tags: Array.from({ length: 65 }, (_, i) => `${i}`) }, "tags"],
    [{ metadata: [] }, "metadata"],
    [{ metadata: { a: "x".repeat(16 * 1024) } }, "metadata"],
    [{ expires_at: "2029-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2031-02-30T00:00:00Z" }, "expires_at"],
    [{ expires_at: 5 }, "expires_at"],
    [{ tags: ["ok"], path: "ok", expires_at: "never" }, "expires_at"],
    [[], "body"],
    ["null", "body"],
    ["{", "body"],
    ["", "body"],
  ];
  runScenarios(stage, [
    ...renames.map(([name, start, change, path, filename]): Scenario => ({
      name,
      given: [post({ filename: "hello.txt", path: "notes/hello.txt", ...start }, { keeps: "file" })],
      ...patch(change, { json: { id: "{file.id}", path, filename, created_at: "{file.created_at}" } }),
      after: [holds(path), get({ json: { path, filename } })],
    })),
    ...bad.map(([body, field]): Scenario => ({
      name: `${JSON.stringify(body).slice(0, 60)} is refused`,
      given: [hello],
      ...patch(body, refused("VALIDATION_ERROR", field)),
      after: [unchanged],
    })),
    {
      name: "nothing at all",
      given: [hello],
      ...patch({}, { json: { id: "{file.id}" } }),
      after: [unchanged],
    },
    {
      name: "null for what may be left out changes nothing",
      given: [hello],
      ...patch({ filename: null, path: null, tags: null, metadata: null }, { json: { id: "{file.id}" } }),
      after: [unchanged],
    },
    {
      name: "a byte order mark before the body is skipped",
      given: [hello],
      ...patch('\ufeff{"tags":["c"]}', { json: { tags: ["c"] } }),
    },
    {
      name: "unknown fields, size and hash among them, are ignored with Prefer: handling=lenient",
      given: [hello],
      ...patch(
        { colour: "red", size: 0, id: NOWHERE, content_hash: "x", drive_id: NOWHERE, mime_type: "a/b" },
        { headers: { prefer: "handling=lenient" }, receives: { "preference-applied": "handling=lenient" } },
      ),
      after: [unchanged],
    },
    { name: "tags are replaced", given: [hello], ...patch({ tags: ["c", "c"] }, { json: { tags: ["c"] } }) },
    { name: "tags are emptied", given: [hello], ...patch({ tags: [] }, { json: { tags: [] } }) },
    {
      name: "metadata is replaced, not merged",
      given: [hello],
      ...patch({ metadata: { m: 2 } }),
      after: [get({ omits: ['"n":1'], contains: ['"metadata":{"m":2}'] })],
    },
    {
      name: "the expiry goes",
      given: [hello],
      ...patch({ expires_at: null }, { json: { expires_at: null } }),
    },
    {
      name: "the expiry changes",
      given: [hello],
      ...patch(
        { expires_at: "2032-01-01" },
        { json: { expires_at: "2032-01-01T00:00:00.000Z", tags: ["a", "b"] } },
      ),
    },
    {
      name: "the type follows the filename",
      given: [hello],
      ...patch({ filename: "a.json" }, { json: { mime_type: "application/json" } }),
    },
    {
      name: "the preview follows the type",
      given: [hello],
      ...patch({ filename: "a.png" }, { json: { mime_type: "image/png", content_preview: null } }),
      after: [
        patch(
          { filename: "a.md" },
          { json: { mime_type: "text/markdown", content_preview: "Hello World!" } },
        ),
      ],
    },
    {
      name: "the type follows the path's last segment",
      given: [hello],
      ...patch({ path: "x/a.csv" }, { json: { mime_type: "text/csv" } }),
    },
    {
      name: "a type that was given stays",
      given: [post({ content_type: "text/x-own" }, { keeps: "file" })],
      ...patch({ filename: "a.json" }, { json: { mime_type: "text/x-own" } }),
    },
    {
      name: "onto a file",
      given: [hello, put("taken")],
      ...patch({ path: "taken" }, refused("CONFLICT")),
      after: [unchanged, holds("notes/hello.txt", "taken")],
    },
    {
      name: "a filename onto a file",
      given: [hello, put("notes/taken")],
      ...patch({ filename: "taken", tags: [] }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "below a file",
      given: [hello, put("taken")],
      ...patch({ path: "taken/x" }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "below itself",
      given: [hello],
      ...patch({ path: "notes/hello.txt/x" }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "onto a folder",
      given: [hello, put("taken/x")],
      ...patch({ path: "taken" }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "If-Match holds",
      given: [hello],
      ...patch({ tags: [] }, { headers: { "if-match": ETAG }, json: { tags: [] } }),
    },
    {
      name: "If-Match does not hold",
      given: [hello],
      ...patch({ tags: [] }, { headers: { "if-match": OTHER_ETAG }, ...refused("PRECONDITION_FAILED") }),
      after: [unchanged],
    },
    {
      name: "a file that is not there",
      ...patch({}, refused("NOT_FOUND")),
      request: ["PATCH", `/v0/files/${NOWHERE}`],
    },
  ]);
});

const secondDrive: Step = {
  as: "ada",
  request: ["POST", "/v0/drives"],
  body: { name: "Elsewhere" },
  status: 201,
  json: { data: { name: "Elsewhere" } },
  keeps: "other",
};
const adasFile: Step = {
  as: "ada",
  request: ["POST", "/v0/drives"],
  body: { name: "Source" },
  status: 201,
  json: { data: { name: "Source" } },
  keeps: "source",
};
const inSource: Step = {
  as: "ada",
  request: ["PUT", "/v0/files?drive_id={source.data.id}&path=a/f.txt&tags=t"],
  body: "Hello World!",
  status: 201,
  json: { drive_id: "{source.data.id}", path: "a/f.txt", tags: ["t"] },
  keeps: "file",
};

/** What a drive of Ada's must show of itself. */
function counts(drive: string, file_count: number, total_size: number): Step {
  return {
    as: "ada",
    request: ["GET", `/v0/drives/${drive}`],
    status: 200,
    json: { data: { file_count, total_size } },
  };
}

const badDestinations: [body: { [name: string]: Json }, field: string][] = [
  [{}, "destination_path"],
  [{ destination_path: "" }, "destination_path"],
  [{ destination_path: "../x" }, "destination_path"],
  [{ destination_path: "a\u0000" }, "destination_path"],
  [{ destination_path: "x/".repeat(600) }, "destination_path"],
  [{ destination_path: null }, "destination_path"],
  [{ destination_path: "x", destination_drive_id: "" }, "destination_drive_id"],
  [{ destination_path: "x", destination_drive_id: 5 }, "destination_drive_id"],
  [{ destination_path: "x", overwrite: "yes" }, "overwrite"],
  [{ destination_path: "x", overwrite: 1 }, "overwrite"],
];

describe("copy", () => {
  const elsewhere = { destination_path: "b/g.json", destination_drive_id: "{other.data.id}" };
  runScenarios(stage, [
    {
      name: "has a new id, the filename of the path, and all but the expiry",
      given: [hello],
      ...copy(
        { destination_path: "b/copy.json" },
        {
          json: {
            id: expect.any(String),
            drive_id: "{drive}",
            path: "b/copy.json",
            filename: "copy.json",
            mime_type: "application/json",
            size: 12,
            content_hash: "{file.content_hash}",
            tags: ["a", "b"],
            metadata: { n: 1 },
            expires_at: null,
          },
          keeps: "copy",
          omits: ['"id":"{file.id}"'],
          receives: { etag: ETAG },
        },
      ),
      after: [
        unchanged,
        holds("b/copy.json", "notes/hello.txt"),
        { request: ["GET", "/v0/files/{copy.id}/download"], status: 200, contains: [/^Hello World!$/] },
      ],
    },
    {
      name: "outlives the original",
      given: [hello, copy({ destination_path: "copy" }, { keeps: "copy" })],
      ...remove(),
      after: [
        { request: ["GET", "/v0/files/{copy.id}/download"], status: 200, contains: [/^Hello World!$/] },
      ],
    },
    {
      name: "into a folder keeps the filename",
      given: [hello],
      ...copy({ destination_path: "b/" }, { json: { path: "b/hello.txt", filename: "hello.txt" } }),
    },
    {
      name: "a type that was given stays",
      given: [post({ content_type: "a/b" }, { keeps: "file" })],
      ...copy({ destination_path: "c.json" }, { json: { mime_type: "a/b" } }),
    },
    {
      name: "onto a file",
      given: [hello, put("taken", "old")],
      ...copy({ destination_path: "taken" }, refused("CONFLICT")),
      after: [holds("notes/hello.txt", "taken")],
    },
    {
      name: "onto a file that gives way",
      given: [hello, put("taken", "old", { keeps: "taken" })],
      ...copy({ destination_path: "taken", overwrite: true }, { json: { path: "taken", size: 12 } }),
      after: [
        holds("notes/hello.txt", "taken"),
        { request: ["GET", "/v0/files/{taken.id}"], ...refused("NOT_FOUND") },
      ],
    },
    {
      name: "onto itself",
      given: [hello],
      ...copy({ destination_path: "notes/hello.txt" }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "onto itself with overwrite",
      given: [hello],
      ...copy({ destination_path: "notes/hello.txt", overwrite: true }, refused("CONFLICT")),
      after: [unchanged, holds("notes/hello.txt")],
    },
    {
      name: "below itself",
      given: [hello],
      ...copy({ destination_path: "notes/hello.txt/x", overwrite: true }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "onto a folder",
      given: [hello],
      ...copy({ destination_path: "notes", overwrite: true }, refused("CONFLICT")),
      after: [holds("notes/hello.txt")],
    },
    {
      name: "below another file",
      given: [hello, put("x")],
      ...copy({ destination_path: "x/y", overwrite: true }, refused("CONFLICT")),
      after: [holds("notes/hello.txt", "x")],
    },
    {
      name: "into another drive of the account",
      given: [adasFile, secondDrive, inSource],
      ...copy(elsewhere, { as: "ada", json: { drive_id: "{other.data.id}", path: "b/g.json", tags: ["t"] } }),
      after: [counts("{source.data.id}", 1, 12), counts("{other.data.id}", 1, 12)],
    },
    {
      name: "into another drive by its slug",
      given: [adasFile, secondDrive, inSource],
      ...copy(
        { ...elsewhere, destination_drive_id: "{other.data.slug}" },
        { as: "ada", json: { drive_id: "{other.data.id}" } },
      ),
    },
    {
      name: "into a drive that is not there",
      given: [hello],
      ...copy({ destination_path: "x", destination_drive_id: NOWHERE }, refused("NOT_FOUND")),
    },
    {
      name: "of a file that is not there",
      ...copy({ destination_path: "x" }, refused("NOT_FOUND")),
      request: ["POST", `/v0/files/${NOWHERE}/copy`],
    },
    {
      name: "If-Match holds",
      given: [hello],
      ...copy({ destination_path: "x" }, { headers: { "if-match": ETAG } }),
    },
    {
      name: "If-Match does not hold",
      given: [hello],
      ...copy(
        { destination_path: "x" },
        { headers: { "if-match": OTHER_ETAG }, ...refused("PRECONDITION_FAILED") },
      ),
      after: [unchanged],
    },
    ...badDestinations.map(([body, field]): Scenario => ({
      name: `${JSON.stringify(body).slice(0, 60)} is refused`,
      given: [hello],
      ...copy(body, refused("VALIDATION_ERROR", field)),
      after: [holds("notes/hello.txt")],
    })),
  ]);
});

describe("move", () => {
  const elsewhere = { destination_path: "b/g.json", destination_drive_id: "{other.data.id}" };
  runScenarios(stage, [
    {
      name: "keeps the id and everything but the name",
      given: [hello],
      ...move(
        { destination_path: "b/moved.json" },
        {
          json: {
            id: "{file.id}",
            path: "b/moved.json",
            filename: "moved.json",
            mime_type: "application/json",
            content_hash: "{file.content_hash}",
            tags: ["a", "b"],
            metadata: { n: 1 },
            expires_at: "2031-01-01T00:00:00.000Z",
            created_at: "{file.created_at}",
          },
        },
      ),
      after: [holds("b/moved.json"), get({ json: { path: "b/moved.json" } })],
    },
    {
      name: "into a folder keeps the filename",
      given: [hello],
      ...move({ destination_path: "b/" }, { json: { path: "b/hello.txt", filename: "hello.txt" } }),
    },
    {
      name: "onto itself changes nothing",
      given: [hello],
      ...move({ destination_path: "notes/hello.txt" }),
      after: [unchanged, holds("notes/hello.txt")],
    },
    {
      name: "onto itself with overwrite loses nothing",
      given: [hello],
      ...move({ destination_path: "notes/", overwrite: true }),
      after: [unchanged, holds("notes/hello.txt")],
    },
    {
      name: "onto a file",
      given: [hello, put("taken", "old", { keeps: "taken" })],
      ...move({ destination_path: "taken" }, refused("CONFLICT")),
      after: [
        unchanged,
        { request: ["GET", "/v0/files/{taken.id}/download"], status: 200, contains: [/^old$/] },
      ],
    },
    {
      name: "onto a file that gives way",
      given: [hello, put("taken", "old", { keeps: "taken" })],
      ...move({ destination_path: "taken", overwrite: true }, { json: { id: "{file.id}", path: "taken" } }),
      after: [holds("taken"), { request: ["GET", "/v0/files/{taken.id}"], ...refused("NOT_FOUND") }],
    },
    {
      name: "below itself",
      given: [hello],
      ...move({ destination_path: "notes/hello.txt/x", overwrite: true }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "onto the folder it stands in",
      given: [hello],
      ...move({ destination_path: "notes", overwrite: true }, refused("CONFLICT")),
      after: [unchanged],
    },
    {
      name: "a refusal with overwrite leaves the destination alone",
      given: [hello, put("taken", "old")],
      ...move({ destination_path: "taken/below", overwrite: true }, refused("CONFLICT")),
      after: [holds("notes/hello.txt", "taken")],
    },
    {
      name: "into another drive of the account",
      given: [adasFile, secondDrive, inSource],
      ...move(elsewhere, {
        as: "ada",
        json: { id: "{file.id}", drive_id: "{other.data.id}", path: "b/g.json" },
      }),
      after: [
        counts("{source.data.id}", 0, 0),
        counts("{other.data.id}", 1, 12),
        {
          as: "ada",
          request: ["GET", "/v0/files?drive_id={other.data.id}&tags=t"],
          status: 200,
          json: { data: [{ id: "{file.id}" }] },
        },
        {
          as: "ada",
          request: ["GET", "/v0/files?drive_id={source.data.id}&tags=t"],
          status: 200,
          json: { data: [], total: 0 },
        },
      ],
    },
    {
      name: "to the same path of another drive",
      given: [adasFile, secondDrive, inSource],
      ...move(
        { destination_path: "a/f.txt", destination_drive_id: "{other.data.id}" },
        { as: "ada", json: { drive_id: "{other.data.id}", path: "a/f.txt" } },
      ),
    },
    {
      name: "If-Match holds",
      given: [hello],
      ...move({ destination_path: "x" }, { headers: { "if-match": ETAG } }),
    },
    {
      name: "If-Match does not hold",
      given: [hello],
      ...move(
        { destination_path: "x" },
        { headers: { "if-match": OTHER_ETAG }, ...refused("PRECONDITION_FAILED") },
      ),
      after: [unchanged],
    },
    {
      name: "of a file that is not there",
      ...move({ destination_path: "x" }, refused("NOT_FOUND")),
      request: ["POST", `/v0/files/${NOWHERE}/move`],
    },
    ...badDestinations.map(([body, field]): Scenario => ({
      name: `${JSON.stringify(body).slice(0, 60)} is refused`,
      given: [hello],
      ...move(body, refused("VALIDATION_ERROR", field)),
      after: [unchanged],
    })),
  ]);
});

function remove(expected: Partial<Step> = {}): Step {
  const json = { id: "{file.id}", deleted: true };
  return { request: ["DELETE", "/v0/files/{file.id}"], status: 200, json, ...expected };
}

describe("DELETE", () => {
  runScenarios(stage, [
    {
      name: "takes the file away, once",
      given: [hello],
      ...remove({ json: { id: "{file.id}", deleted: true } }),
      after: [get(refused("NOT_FOUND")), remove(refused("NOT_FOUND")), holds()],
    },
    {
      name: "frees its path",
      given: [hello, remove()],
      ...put("notes/hello.txt"),
      after: [holds("notes/hello.txt")],
    },
    { name: "If-Match holds", given: [hello], ...remove({ headers: { "if-match": ETAG } }) },
    {
      name: "If-Match does not hold",
      given: [hello],
      ...remove({ headers: { "if-match": OTHER_ETAG }, ...refused("PRECONDITION_FAILED") }),
      after: [unchanged],
    },
    { name: "a body that has no fields is not looked at", given: [hello], ...remove({ body: "[" }) },
    { name: "nonsense", ...remove(refused("NOT_FOUND")), request: ["DELETE", "/v0/files/nonsense"] },
  ]);
});

function bulk(file_ids: Json, expected: Expected): Step {
  return { request: ["POST", "/v0/files/bulk-delete"], body: { file_ids }, status: 200, ...expected };
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `id-${i}`);
}

describe("bulk-delete", () => {
  const a = put("a", "1", { keeps: "a" });
  const b = put("b", "2", { keeps: "b" });
  const adas: Step = {
    as: "ada",
    request: ["GET", "/v0/files/{files.ada}"],
    status: 200,
    json: { id: "{files.ada}" },
  };
  runScenarios(stage, [
    {
      name: "some there, some not, some foreign, some that are no ids",
      given: [a, b, put("c")],
      ...bulk(["{a.id}", NOWHERE, "{files.ada}", "", "../x", "{b.id}"], {
        json: { deleted: ["{a.id}", "{b.id}"], failed: [NOWHERE, "{files.ada}", "", "../x"] },
      }),
      after: [holds("c"), adas],
    },
    {
      name: "a duplicate is deleted once",
      given: [a],
      ...bulk(["{a.id}", "{a.id}"], { json: { deleted: ["{a.id}"], failed: [] } }),
    },
    { name: "nothing", ...bulk([], { json: { deleted: [], failed: [] } }) },
    {
      name: "1,000",
      given: [a],
      ...bulk([...numbered(999), "{a.id}"], { json: { deleted: ["{a.id}"] } }),
      after: [holds()],
    },
    {
      name: "1,001",
      given: [a],
      ...bulk([...numbered(1000), "{a.id}"], refused("VALIDATION_ERROR", "file_ids")),
      after: [holds("a")],
    },
    {
      name: "a number among them",
      given: [a],
      ...bulk(["{a.id}", 5], refused("VALIDATION_ERROR", "file_ids[1]")),
      after: [holds("a")],
    },
    { name: "no array", ...bulk("{drive}", refused("VALIDATION_ERROR", "file_ids")) },
    {
      name: "without file_ids",
      request: ["POST", "/v0/files/bulk-delete"],
      body: {},
      ...refused("VALIDATION_ERROR", "file_ids"),
    },
  ]);

  test("counts every folder above anew, also for a file whose id is written twice", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const ids: string[] = [];
    for (const path of ["a/b/one", "a/b/two", "a/three", "a/c/four"]) {
      const query = new URLSearchParams({ drive_id: drive, path });
      const { id } = await client.json<{ id: string }>(201, "PUT", `/v0/files?${query.toString()}`, {
        body: path,
      });
      ids.push(id);
    }
    const [one = "", two = "", three = ""] = ids;
    const file_ids = [one, one.toUpperCase(), two, three];
    await client.post("/v0/files/bulk-delete", { file_ids }, 200);
    const folders = async (path: string) => {
      const query = new URLSearchParams({ drive_id: drive, path });
      const { data } = await client.get<{ data: Json[] }>(`/v0/folders?${query.toString()}`);
      return data;
    };
    expect(await folders("")).toMatchObject([{ path: "a/", file_count: 1, total_size: 8 }]);
    expect(await folders("a/")).toMatchObject([
      { path: "a/b/", file_count: 0, total_size: 0 },
      { path: "a/c/", file_count: 1, total_size: 8 },
    ]);
    const { total } = await client.get<{ total: number }>(
      `/v0/files?drive_id=${drive}&prefix=a/&delimiter=/`,
    );
    expect(total).toBe(0);
  });
});

describe("times", () => {
  test("every change moves updated_at, of the file and of its drive", async () => {
    const own = await stage.ownDrive();
    interface Record {
      id: string;
      created_at: string;
      updated_at: string;
    }
    const target = `/v0/files?drive_id=${own.id}&path=f`;
    const file = await own.client.json<Record>(201, "PUT", target, { body: "x" });
    const changes: [method: string, path: string, body: Json, status: number][] = [
      ["PATCH", `/v0/files/${file.id}`, { tags: ["x"] }, 200],
      ["PATCH", `/v0/files/${file.id}`, { filename: "g" }, 200],
      ["POST", `/v0/files/${file.id}/move`, { destination_path: "h" }, 200],
      ["PUT", `/v0/files?drive_id=${own.id}&path=h`, "y", 200],
    ];
    let last = Date.parse(file.updated_at);
    for (const [method, path, body, status] of changes) {
      stage.coffer.clock.advance(1000);
      const changed = await own.client.json<Record>(status, method, path, { body });
      expect(Date.parse(changed.updated_at) - last).toBe(1000);
      expect(changed.created_at).toBe(file.created_at);
      last += 1000;
      const drive = await own.client.get<{ data: Record }>(`/v0/drives/${own.id}`);
      expect(drive.data.updated_at).toBe(changed.updated_at);
    }
  });
});
