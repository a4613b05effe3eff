import { describe, expect, test } from "bun:test";
import { connectMcp } from "../../support/peers/mcp.ts";
import { openStage, runEach, runAfter, runBetween, runScenarios } from "../../support/server/scenario.ts";
import { type Expected, invalid, refused, type Step, step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import type { Json } from "../../support/server/client.ts";

const stage = openStage();

const LENIENT = { prefer: "handling=lenient" };

function file(path = "docs/f.md", content = "one\n"): Step {
  return put(path, content, { keeps: "file" });
}

function get(path: string, expected: Expected): Step {
  return step(`GET ${path}`, expected);
}

/** The file must be there with this content. */
function holds(content: string): Step {
  return get("/v0/files/by-path/download?drive_id={drive}&path=docs/f.md", {
    contains: [new RegExp(`^${content}$`)],
  });
}

/** A refusal that names the field, and what it may mean. */
function unknown(field: string, meant: string | null, message = "") {
  const hint = meant === null ? "It takes " : `Did you mean ${meant}?`;
  const said: [string, string] = [`${field} is not a `, message === "" ? hint : message];
  return { ...invalid(field), contains: said };
}

const append = (more: { [name: string]: Json }) => ({ op: "append", text: "two\n", ...more });

function edit(body: Json, expected: Expected, by = ""): Step {
  return step(`POST /v0/files/by-path/edit?drive_id={drive}&path=docs/f.md${by}`, { body, ...expected });
}

describe("a name that a request does not know is refused, and the nearest one named", () => {
  const inDrive = "drive_id={drive}";
  const queries: readonly (readonly [path: string, field: string, meant: string | null])[] = [
    [`/v0/files?${inDrive}&path=docs/`, "path", "prefix"],
    [`/v0/files?${inDrive}&pattern=*.md`, "pattern", "glob"],
    [`/v0/files?${inDrive}&prefx=docs/`, "prefx", "prefix"],
    [`/v0/files?${inDrive}&recursive=true`, "recursive", "delimiter"],
    [`/v0/grep?${inDrive}&pattern=x&path=docs/`, "path", "prefix"],
    [`/v0/grep?${inDrive}&regex=x`, "regex", "pattern"],
    [`/v0/search?pattern=one`, "pattern", "q"],
    [`/v0/folders?${inDrive}&prefix=docs/`, "prefix", "path"],
    [`/v0/changes?driveId={drive}`, "driveId", "drive_id"],
    [`/v0/files/{file.id}?colour=red`, "colour", null],
    [`/v0/drives/{drive}?colour=red`, "colour", null],
    [`/v0?colour=red`, "colour", null],
    [`/v0/account?colour=red`, "colour", null],
  ];
  const key = { "idempotency-key": "unknown-names-0123456789" };
  runAfter(stage, [file()], {
    "the ids of a deletion": step("POST /v0/files/bulk-delete", {
      body: { ids: ["x"] },
      ...unknown("ids", "file_ids"),
    }),
    "a parameter that belongs into the body": step("POST /v0/folders?path=a/", {
      body: { drive_id: "{drive}", path: "a/" },
      ...unknown("path", null, "Send it in the body."),
    }),
    "a parameter that is a header": step(
      "GET /v0/files/{file.id}/download?range=bytes=0-0",
      unknown("range", null, "Send it as the header Range."),
    ),
    "a field where there is no body": step("POST /v0/files/{file.id}/extract", {
      body: { path: "x" },
      ...unknown("path", null),
    }),
    "an empty object where there is no body": step("POST /v0/files/{file.id}/extract", {
      body: {},
      json: { content: "one\n" },
    }),
    "is not kept under an Idempotency-Key": [
      { ...edit(append({ colour: "red" }), unknown("colour", null)), headers: key },
      edit(append({}), { headers: key, json: { size: 8 }, receives: { "idempotency-replayed": null } }),
    ],
  });
  runEach(stage, queries, ([path, field, meant]) => {
    const request = `${path.startsWith("/v0/account") ? "ada" : "owner"} GET ${path}` as const;
    // Two lack what they must have when the name is passed over.
    const lacks = path.includes("regex") ? "pattern" : path.includes("search") ? "q" : undefined;
    const receives = { "preference-applied": "handling=lenient", vary: /Prefer/ };
    const leniently = lacks === undefined ? { contains: [/^[{[]/] as const } : invalid(lacks);
    return [
      `${path}, unless leniently`,
      file(),
      step(request, unknown(field, meant)),
      step(request, { headers: LENIENT, receives, ...leniently }),
    ];
  });
  runBetween(stage, [file()], [holds("one\n")], {
    "a field, and nothing is changed": edit(append({ if_mtch: '"x"' }), unknown("if_mtch", "if_match")),
    "a field of one of many edits": edit(
      { edits: [append({}), append({ old_str: "x" })] },
      unknown("edits[1].old_str", "old_string"),
    ),
    "a condition within one of many edits": edit(
      { edits: [append({ if_match: '"x"' })] },
      unknown("edits[0].if_match", null, "It is for the whole request: send it beside edits."),
    ),
    "a field that belongs into the query": edit(
      append({ path: "docs/f.md" }),
      unknown("path", null, "Send it in the query."),
    ),
    "before a deletion": step(
      "DELETE /v0/files/by-path?drive_id={drive}&path=docs/f.md&dry_run=true",
      unknown("dry_run", null),
    ),
  });
});

describe("a name of MCP is understood", () => {
  const inDrive = "drive={drive}";
  const stale = '"0000"';
  const current = Bun.SHA256.hash("one\n", "hex");
  const changed = { json: { size: 8 } };
  const failed = refused("PRECONDITION_FAILED");
  const wrong = invalid("if_match");
  const PUT = "PUT /v0/files?drive_id={drive}&path=docs/f.md";
  runAfter(stage, [file()], {
    drive: get(`/v0/files?${inDrive}`, { json: { total: 1 } }),
    query: get("/v0/search?query=nowhere", { json: { total: 0 } }),
    "content_type for mime_type": get("/v0/search?content_type=image/png", { json: { total: 0 } }),
    "drive and destination_drive in a body": step("POST /v0/folders/copy", {
      body: { drive: "{drive}", path: "docs/", destination_path: "more/", destination_drive: "{drive}" },
      status: 201,
      json: { path: "more/" },
    }),
    "both names of one thing": step("POST /v0/folders", {
      body: { drive: "{drive}", drive_id: "{drive}", path: "a/" },
      ...invalid("drive"),
      contains: ["means the same as drive_id"],
    }),
    "both names of one parameter": get("/v0/files?drive={drive}&drive_id={drive}", invalid("drive_id")),
    "if_match that holds, without its quotes": edit(append({ if_match: current }), changed),
    "if_match that is null": edit(append({ if_match: null }), changed),
    "only_create: false of an upload": step(`${PUT}&only_create=false`, { body: "two", json: { size: 3 } }),
    "if_match where nothing takes it": step("POST /v0/folders", {
      body: { drive_id: "{drive}", path: "a/", if_match: stale },
      ...unknown("if_match", null),
    }),
  });
  runBetween(stage, [file()], [holds("one\n")], {
    "if_match that does not hold, in the body": edit(append({ if_match: stale }), failed),
    "if_match that does not hold, in the query": edit(append({}), failed, "&if_match=%220000%22"),
    "if_match that does not hold, and Prefer: handling=lenient": {
      ...edit(append({ if_match: stale }), failed),
      headers: LENIENT,
    },
    "if_match that is no text": edit(append({ if_match: 5 }), wrong),
    "if_match and another If-Match": {
      ...edit(append({ if_match: stale }), wrong),
      headers: { "if-match": '"1111"' },
    },
    "two that differ in the query": edit(append({}), wrong, `&if_match=0000&if_match=${current}`),
    "two that differ in the query and the body": edit(append({ if_match: current }), wrong, "&if_match=0000"),
    "if_match of a deletion": step("DELETE /v0/files/{file.id}?if_match=0000", failed),
    "if_match of a deletion, in a body": step("DELETE /v0/files/{file.id}", {
      body: { if_match: stale },
      ...failed,
    }),
    "if_match of an upload in JSON": step("POST /v0/files", {
      body: { drive_id: "{drive}", filename: "f.md", path: "docs/f.md", text: "x", if_match: stale },
      ...failed,
    }),
    "only_create of an upload": step(`${PUT}&only_create=true`, { body: "x", ...failed }),
  });

  test("an upload with another if_match is another request", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const body = { drive_id: drive, filename: "f.txt", text: "x" };
    const headers = { "idempotency-key": crypto.randomUUID() };
    const send = (more: object) => client.send("POST", "/v0/files", { body: { ...body, ...more }, headers });
    const first = await send({ only_create: true });
    expect(first.status).toBe(201);
    expect((await send({ only_create: true })).headers.get("idempotency-replayed")).toBe("true");
    expect((await send({})).status).toBe(422);
  });

  test("and one of REST by the tools", async () => {
    const { id: drive, key } = await stage.ownDrive();
    await using me = await connectMcp(stage.coffer.appliance.url, key);
    const written = { path: "a.md", text: "fox", drive };
    await me.get("write_file", { ...written, mime_type: "text/x-own" });
    expect(await me.get("read_file", { path: "a.md", drive })).toMatchObject({ mime_type: "text/x-own" });
    expect(await me.get("search", { q: "fox", drive_id: drive })).toMatchObject({
      results: [{ path: "a.md" }],
    });
    expect(await me.refused("search", { q: "fox", query: "fox" })).toContain("means the same as query");
    expect(await me.refused("search", { q: 5 })).toContain("q must be a string");
    expect(await me.refused("search", { query: "" })).toContain("query must be a string");
    await me.refuses("write_file", { path: "b.md", text: "x", mime_type: 5 }, /mime_type must be a string/);
    expect(await me.get("snapshot", { action: "create" })).toMatchObject({ snapshot: {} });
    const both = { action: "restore", id: "x", snapshot_id: "y" };
    await me.refuses("snapshot", both, /id means the same as snapshot_id/);
    expect(await me.refused("write_file", { path: "b.md", content: "fox" })).toContain("Did you mean text?");
    expect(await me.refused("write_file", { path: "b.md", base64: "todo" })).toContain("pass it as text");
    expect(
      await me.get("write_file", { path: "b.md", base64: "todo", content_type: "image/png" }),
    ).toMatchObject({ size: 3 });
    const meant = "edits[0].old_str is not an argument of this tool. Did you mean old_string?";
    expect(await me.refused("edit_file", { path: "a.md", edits: [append({ old_str: "x" })] })).toContain(
      meant,
    );
  });
});

test("links that people open work with what programs add to them, and not with a slip", async () => {
  const { id: drive, client } = await stage.ownDrive();
  await client.send("PUT", `/v0/files?drive_id=${drive}&path=docs/f.md`, { body: "one\n" });
  const anyone = stage.coffer.client();
  const { url } = await client.json<{ url: string }>(
    200,
    "POST",
    `/v0/files/by-path/presigned-url?drive_id=${drive}&path=docs/f.md`,
  );
  const link = await client.post<{ token: string }>("/v0/links", { drive_id: drive, path: "docs/" });
  const shared = `/v0/shared/${link.token}`;
  const added = "utm_source=chat&fbclid=x&gclid=y&_=1&ref=z&si=w";
  const answers: readonly (readonly [address: string, status: number])[] = [
    [`${new URL(url).pathname}?${added}`, 200],
    [`${new URL(url).pathname}?${added}&inlin=1`, 400],
    [`${shared}/download?path=f.md&${added}`, 200],
    [`${shared}/download?file=f.md`, 400],
    [`${shared}/archive?${added}`, 200],
    [`${shared}/archive?${"a=b&".repeat(65)}`, 400],
    [`${shared}/archive?paths=f.md`, 400],
    [`${shared}/files?${added}`, 400],
    [`${shared}/files?path=f.md`, 400],
  ];
  for (const [address, status] of answers) {
    expect([address, (await anyone.send("GET", address)).status]).toEqual([address, status]);
  }
});

/** What says that a plus sign may be meant. */
function tellsOf(text: string): object {
  return { did_you_mean: `In a query, + is a space. If you mean ${text}` };
}

/** An upload to a path as it is written. */
function upload(path: string, expected: Expected): Step {
  return step(`PUT /v0/files?drive_id={drive}&path=${path}`, {
    body: "hello world\n",
    status: 201,
    ...expected,
  });
}

describe("a plus sign in a query is a space", () => {
  const silent = { omits: ["did_you_mean"] };
  runScenarios(stage, {
    "and a path with two of them is told": upload("c++/my+notes.md", {
      json: { path: "c  /my notes.md", ...tellsOf('"c++/my notes.md", send path=c%2B%2B/my+notes.md.') },
    }),
    "a single one in a path is one": upload("my+notes.md", { json: { path: "my notes.md" }, ...silent }),
    "two spaces that were written as such are two": upload("a%20%20b.md", {
      json: { path: "a  b.md" },
      ...silent,
    }),
    "a pattern that finds nothing is told": [
      file("f.md", "hello\n"),
      get("/v0/grep?drive_id={drive}&pattern=hel+o", {
        json: { data: [], ...tellsOf('"hel+o", send pattern=hel%2Bo.') },
      }),
    ],
    "one that finds something is right": [
      file("f.md", "hello world\n"),
      get("/v0/grep?drive_id={drive}&pattern=hello+world", { json: { data: [{ path: "f.md" }] }, ...silent }),
    ],
    "and one without a plus sign": [
      file("f.md", "hello\n"),
      get("/v0/grep?drive_id={drive}&pattern=hel%20o", { json: { data: [] }, ...silent }),
    ],
    "a prefix that lists nothing is told": [
      file(),
      get("/v0/files?drive_id={drive}&prefix=c++/", {
        json: { total: 0, ...tellsOf('"c++/", send prefix=c%2B%2B/.') },
      }),
    ],
  });
});
