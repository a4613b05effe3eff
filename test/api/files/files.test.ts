import { describe, expect, test } from "bun:test";
import type { FileRecord } from "../../../src/http/records/record-schemas.ts";
import type { Json } from "../../support/server/client.ts";
import { openStage, runEach, runScenarios, runAfter, runBetween } from "../../support/server/scenario.ts";
import type { Expected, Request, Step } from "../../support/server/steps.ts";
import { invalid, NOWHERE, refused, refuses, step, wrongBodies } from "../../support/server/steps.ts";
import { HELLO_DIGEST, holds, post, put } from "../../support/server/uploads.ts";

const stage = openStage();

const ETAG = `"${HELLO_DIGEST}"`;
const CONFLICT = refused("CONFLICT");
const MISSING = refused("NOT_FOUND");

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
  return step("GET /v0/files/{file.id}", { json: { id: "{file.id}" }, ...expected });
}

/** What the record that is answered must show, or a refusal. */
type Outcome =
  (Readonly<Record<string, unknown>> & { readonly status?: undefined }) | ReturnType<typeof refused>;

function ask(request: Request, status: number, body: Json, outcome: Outcome): Step {
  return step(request, { body, ...(outcome.status === undefined ? { status, json: outcome } : outcome) });
}

function patch(body: Json, outcome: Outcome = { id: "{file.id}" }): Step {
  return ask("PATCH /v0/files/{file.id}", 200, body, outcome);
}

function copy(body: Json, outcome: Outcome = { content_hash: "{file.content_hash}" }): Step {
  return ask("POST /v0/files/{file.id}/copy", 201, body, outcome);
}

function move(body: Json, outcome: Outcome = { id: "{file.id}" }): Step {
  return ask("POST /v0/files/{file.id}/move", 200, body, outcome);
}

const to = (destination_path: string) => ({ destination_path });
const over = (path: string) => ({ ...to(path), overwrite: true });

/** Of a test with this body. */
function titleOf(body: Json): string {
  return JSON.stringify(body).slice(0, 60);
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
  runScenarios(stage, {
    "shows the record and its own ETag": [
      hello,
      { ...unchanged, receives: { etag: new RegExp(`^"${HELLO_DIGEST}\\.[0-9a-f]{16}"$`) } },
    ],
  });
  runEach(stage, [NOWHERE, "nonsense", "%00", "..%2f..", "{files.ada}"], (id) => [
    `${id} is not there`,
    refuses(`GET /v0/files/${id}`, "NOT_FOUND"),
  ]);
});

describe("PATCH", () => {
  /** Of `notes/hello.txt`. */
  type Rename = readonly [name: string, change: Json, path: string, filename: string];
  const renames: readonly Rename[] = [
    ["a filename takes the path along", { filename: "new.md" }, "notes/new.md", "new.md"],
    ["a path brings its last segment", { path: "a/new.md" }, "a/new.md", "new.md"],
    ["a path and its filename", { path: "a/new.md", filename: "new.md" }, "a/new.md", "new.md"],
    ["a path that is a folder keeps the filename", { path: "a/" }, "a/hello.txt", "hello.txt"],
    ["a path that is a folder takes the new filename", { path: "a/", filename: "n.md" }, "a/n.md", "n.md"],
    ["the root", { path: "/" }, "hello.txt", "hello.txt"],
    ["a leading slash is dropped", { path: "/a/b.txt" }, "a/b.txt", "b.txt"],
    ["into a folder below its own", { path: "notes/deep/er/f.txt" }, "notes/deep/er/f.txt", "f.txt"],
    ["a decomposed filename", { filename: "e\u0301.txt" }, "notes/\u00e9.txt", "e\u0301.txt"],
    ["only the filename's case", { filename: "HELLO.txt" }, "notes/HELLO.txt", "HELLO.txt"],
  ];
  const bad: [body: Json, field: string][] = [
    ...wrongBodies({
      filename: ["", "a/b", "..", "a\u0000", "x".repeat(256), 5],
      path: ["", "../x", "a//b", "a\\b", "x/".repeat(600) + "y"],
    }),
    [{ path: "a/x", filename: "new.md" }, "filename"],
    [{ tags: "a" }, "tags"],
    [{ tags: [""] }, "tags[0]"],
    [{ tags: Array.from({ length: 65 }, (_, i) => `${i}`) }, "tags"],
    ...wrongBodies({
      metadata: [[], { a: "x".repeat(16 * 1024) }],
      expires_at: ["2029-01-01T00:00:00Z", "2031-02-30T00:00:00Z", 5],
    }),
    [{ tags: ["ok"], path: "ok", expires_at: "never" }, "expires_at"],
    ...[[], "null", "{", ""].map((body): [Json, string] => [body, "body"]),
  ];
  runEach(stage, renames, ([name, change, path, filename]) => {
    const began = post({ path: "notes/hello.txt" }, { keeps: "file" });
    const json = { id: "{file.id}", path, filename, created_at: "{file.created_at}" };
    const after = [holds(path), get({ json: { path, filename } })];
    return [name, began, patch(change, json), ...after];
  });
  runBetween(stage, [hello], [unchanged], {
    "nothing at all": patch({}, { id: "{file.id}" }),
    "null for what may be left out changes nothing": patch(
      { filename: null, path: null, tags: null, metadata: null },
      { id: "{file.id}" },
    ),
    "unknown fields, size and hash among them, are ignored with Prefer: handling=lenient": {
      ...patch({
        colour: "red",
        size: 0,
        id: NOWHERE,
        content_hash: "x",
        drive_id: NOWHERE,
        mime_type: "a",
      }),
      headers: { prefer: "handling=lenient" },
      receives: { "preference-applied": "handling=lenient" },
    },
    "below itself": patch({ path: "notes/hello.txt/x" }, CONFLICT),
    "onto a file": [put("taken"), patch({ path: "taken" }, CONFLICT), holds("notes/hello.txt", "taken")],
    "below a file": [put("taken"), patch({ path: "taken/x" }, CONFLICT)],
    "onto a folder": [put("taken/x"), patch({ path: "taken" }, CONFLICT)],
  });
  runEach(stage, bad, ([body, field]) => [
    `${titleOf(body)} is refused`,
    hello,
    patch(body, invalid(field)),
    unchanged,
  ]);
  runScenarios(stage, {
    "a type that was given stays": [
      post({ content_type: "text/x-own" }, { keeps: "file" }),
      patch({ filename: "a.json" }, { mime_type: "text/x-own" }),
    ],
  });
  runAfter(stage, [hello], {
    "a byte order mark before the body is skipped": patch('\ufeff{"tags":["c"]}', { tags: ["c"] }),
    "tags are replaced": patch({ tags: ["c", "c"] }, { tags: ["c"] }),
    "tags are emptied": patch({ tags: [] }, { tags: [] }),
    "metadata is replaced, not merged": [
      patch({ metadata: { m: 2 } }),
      get({ omits: ['"n":1'], contains: ['"metadata":{"m":2}'] }),
    ],
    "the expiry goes": patch({ expires_at: null }, { expires_at: null }),
    "the expiry changes": patch(
      { expires_at: "2032-01-01" },
      { expires_at: "2032-01-01T00:00:00.000Z", tags: ["a", "b"] },
    ),
    "the type follows the filename": patch({ filename: "a.json" }, { mime_type: "application/json" }),
    "the preview follows the type": [
      patch({ filename: "a.png" }, { mime_type: "image/png", content_preview: null }),
      patch({ filename: "a.md" }, { mime_type: "text/markdown", content_preview: "Hello World!" }),
    ],
    "the type follows the path's last segment": patch({ path: "x/a.csv" }, { mime_type: "text/csv" }),
    "a file that is not there": step(`PATCH /v0/files/${NOWHERE}`, { body: {}, ...MISSING }),
  });
});

const badDestinations: [body: Json, field: string][] = [
  [{}, "destination_path"],
  ...wrongBodies({ destination_path: ["", "../x", "a\u0000", "x/".repeat(600), null] }),
  [{ ...to("x"), destination_drive_id: "" }, "destination_drive_id"],
  [{ ...to("x"), destination_drive_id: 5 }, "destination_drive_id"],
  [{ ...to("x"), overwrite: "yes" }, "overwrite"],
  [{ ...to("x"), overwrite: 1 }, "overwrite"],
];

function newDrive(name: string, keeps: string): Step {
  return step("ada POST /v0/drives", { body: { name }, status: 201, json: { data: { name } }, keeps });
}

/** Two drives of Ada's, and a file in the first. */
const twoDrives = [
  newDrive("Source", "source"),
  newDrive("Elsewhere", "other"),
  step("ada PUT /v0/files?drive_id={source.data.id}&path=a/f.txt&tags=t", {
    body: "Hello World!",
    status: 201,
    json: { drive_id: "{source.data.id}", path: "a/f.txt", tags: ["t"] },
    keeps: "file",
  }),
];

/** What is the same of a copy and of a move. */
function runTransfers(how: "copy" | "move"): void {
  const act = how === "copy" ? copy : move;
  const path = "notes/hello.txt";
  const shown = { drive_id: "{other.data.id}", path: "b/g.json", tags: ["t"] };
  runEach(stage, ["id", "slug"], (name) => [
    `into another drive, by its ${name}`,
    ...twoDrives,
    { ...act({ ...to("b/g.json"), destination_drive_id: `{other.data.${name}}` }, shown), as: "ada" },
  ]);
  runAfter(stage, [hello], {
    "into a folder keeps the filename": act(to("b/"), { path: "b/hello.txt", filename: "hello.txt" }),
    "below itself": [act(over(`${path}/x`), CONFLICT), unchanged],
    "of a file that is not there": step(`POST /v0/files/${NOWHERE}/${how}`, {
      body: to("x"),
      ...MISSING,
    }),
  });
  runEach(stage, badDestinations, ([body, field]) => [
    `${titleOf(body)} is refused`,
    hello,
    act(body, invalid(field)),
    unchanged,
    holds(path),
  ]);
}

/** What a copy, or a file that was moved, has of `hello`; and what it is called in `b/`. */
const SAME = {
  drive_id: "{drive}",
  content_hash: "{file.content_hash}",
  tags: ["a", "b"],
  metadata: { n: 1 },
};
const named = (filename: string) => ({ path: `b/${filename}`, filename, mime_type: "application/json" });

describe("copy", () => {
  const copied = { ...SAME, id: expect.any(String), size: 12, expires_at: null, ...named("copy.json") };
  const content = step("GET /v0/files/{copy.id}/download", { contains: [/^Hello World!$/] });
  runScenarios(stage, {
    "a type that was given stays": [
      post({ content_type: "a/b" }, { keeps: "file" }),
      copy(to("c.json"), { mime_type: "a/b" }),
    ],
  });
  runAfter(stage, [hello], {
    "has a new id, the filename of the path, and all but the expiry": [
      {
        ...copy(to("b/copy.json"), copied),
        keeps: "copy",
        omits: ['"id":"{file.id}"'],
        receives: { etag: ETAG },
      },
      unchanged,
      holds("b/copy.json", "notes/hello.txt"),
      content,
    ],
    "outlives the original": [{ ...copy(to("copy")), keeps: "copy" }, remove(), content],
    "into a drive that is not there": copy({ destination_path: "x", destination_drive_id: NOWHERE }, MISSING),
  });
  runTransfers("copy");
});

describe("move", () => {
  const times = { created_at: "{file.created_at}", expires_at: "2031-01-01T00:00:00.000Z" };
  const moved = { ...SAME, id: "{file.id}", ...times, ...named("moved.json") };
  runAfter(stage, [hello], {
    "keeps the id and everything but the name": [
      move(to("b/moved.json"), moved),
      holds("b/moved.json"),
      get({ json: { path: "b/moved.json" } }),
    ],
  });
  runTransfers("move");
});

function remove(expected: Partial<Step> = {}): Step {
  const json = { id: "{file.id}", deleted: true };
  return step("DELETE /v0/files/{file.id}", { json, ...expected });
}

describe("DELETE", () => {
  runAfter(stage, [hello], {
    "takes the file away, once": [remove(), get(MISSING), remove(MISSING), holds()],
    "a body that has no fields is not looked at": remove({ body: "[" }),
    nonsense: { ...remove(MISSING), request: ["DELETE", "/v0/files/nonsense"] },
  });
});

function bulk(file_ids: Json, expected: Expected): Step {
  return step("POST /v0/files/bulk-delete", { body: { file_ids }, ...expected });
}

function byPaths(paths: Json, more: Expected & { readonly body?: Json }): Step {
  return step("POST /v0/files/bulk-delete", { body: { drive_id: "{drive}", paths }, ...more });
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `id-${i}`);
}

describe("bulk-delete", () => {
  const a = put("a", "1", { keeps: "a" });
  const b = put("b", "2", { keeps: "b" });
  const adas: Step = step("ada GET /v0/files/{files.ada}", { json: { id: "{files.ada}" } });
  runScenarios(stage, {
    "some there, some not, some foreign, some that are no ids": [
      a,
      b,
      put("c"),
      bulk(["{a.id}", NOWHERE, "{files.ada}", "", "../x", "{b.id}"], {
        json: { deleted: ["{a.id}", "{b.id}"], failed: [NOWHERE, "{files.ada}", "", "../x"] },
      }),
      holds("c"),
      adas,
    ],
    "a duplicate is deleted once": [
      a,
      bulk(["{a.id}", "{a.id}"], { json: { deleted: ["{a.id}"], failed: [] } }),
    ],
    nothing: bulk([], { json: { deleted: [], failed: [] } }),
    "1,000": [a, bulk([...numbered(999), "{a.id}"], { json: { deleted: ["{a.id}"] } }), holds()],
    "1,001": [a, bulk([...numbered(1000), "{a.id}"], invalid("file_ids")), holds("a")],
    "a number among them": [a, bulk(["{a.id}", 5], invalid("file_ids[1]")), holds("a")],
    "no array": bulk("{drive}", invalid("file_ids")),
    "without file_ids": step("POST /v0/files/bulk-delete", { body: {}, ...invalid("file_ids") }),
    "by paths, one of them written in two ways": [
      a,
      put("c"),
      byPaths(["b", "/a", "a", "dir/b"], { json: { deleted: ["/a", "a"], failed: ["b", "dir/b"] } }),
      holds("c"),
    ],
    "by paths that are none": [a, byPaths(["a", "../b"], invalid("paths[1]")), holds("a")],
    "by ids and paths at once": [
      a,
      byPaths(["a"], {
        ...invalid("paths"),
        body: { file_ids: ["{a.id}"], drive_id: "{drive}", paths: ["a"] },
      }),
      byPaths(["a"], { ...invalid("drive_id"), body: { file_ids: ["{a.id}"], drive_id: "{drive}" } }),
      byPaths(["a"], { ...invalid("drive_id"), body: { paths: ["a"] } }),
      holds("a"),
    ],
  });

  test("counts every folder above anew, also for a file whose id is written twice", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const ids: string[] = [];
    for (const path of ["a/b/one", "a/b/two", "a/three", "a/c/four"])
      ids.push((await client.put(drive, path, path)).id);
    const [one = "", two = "", three = ""] = ids;
    const file_ids = [one, one.toUpperCase(), two, three];
    await client.post("/v0/files/bulk-delete", { file_ids }, 200);
    const folders = (path: string) => client.get(`/v0/folders?drive_id=${drive}&path=${path}`);
    const counted = { file_count: 1, total_size: 8 };
    expect(await folders("")).toMatchObject({ data: [{ path: "a/", ...counted }] });
    const emptied = { path: "a/b/", file_count: 0, total_size: 0 };
    expect(await folders("a/")).toMatchObject({ data: [emptied, { path: "a/c/", ...counted }] });
    expect(await client.paths(`/v0/files?drive_id=${drive}&prefix=a/&delimiter=/`)).toEqual([]);
  });
});

describe("times", () => {
  test("every change moves updated_at, of the file and of its drive", async () => {
    const own = await stage.ownDrive();
    const file = await own.client.put<FileRecord>(own.id, "f");
    const changes: [method: string, path: string, body: Json, status: number][] = [
      ["PATCH", `/v0/files/${file.id}`, { tags: ["x"] }, 200],
      ["PATCH", `/v0/files/${file.id}`, { filename: "g" }, 200],
      ["POST", `/v0/files/${file.id}/move`, { destination_path: "h" }, 200],
      ["PUT", `/v0/files?drive_id=${own.id}&path=h`, "y", 200],
    ];
    let last = Date.parse(file.updated_at);
    for (const [method, path, body, status] of changes) {
      stage.coffer.clock.advance(1000);
      const changed = await own.client.json<FileRecord>(status, method, path, { body });
      expect(Date.parse(changed.updated_at) - last).toBe(1000);
      expect(changed.created_at).toBe(file.created_at);
      last += 1000;
      const drive = await own.client.get<{ data: FileRecord }>(`/v0/drives/${own.id}`);
      expect(drive.data.updated_at).toBe(changed.updated_at);
    }
  });
});
