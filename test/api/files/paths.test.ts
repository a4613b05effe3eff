import { describe, expect, test } from "bun:test";
import { openStage, runAfter } from "../../support/server/scenario.ts";
import { gives, refuses, step, type Step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";

const stage = openStage();

const AT = "/v0/paths?drive_id={drive}&path=";
const drive_id = "{drive}";
const given = [
  put("docs/a.md", "A"),
  put("docs/sub/b.md", "B"),
  put("taken/a.md", "T"),
  put("taken/docs/c.md", "C"),
  put("plain", "P"),
];

const is = (path: string, json: object): Step => gives(`GET ${AT}${path}`, { path, ...json });
const none = (path: string): Step => refuses(`GET ${AT}${path}`, "NOT_FOUND");
const moves = (body: object, json: object): Step =>
  gives("POST /v0/paths/move", json, { body: { drive_id, ...body } });
const copies = (body: object, json: object): Step =>
  gives("POST /v0/paths/copy", json, { body: { drive_id, ...body } });
const to = (path: string, destination_path: string, more: object = {}) => ({
  path,
  destination_path,
  ...more,
});

describe("what is at a path", () => {
  runAfter(stage, given, {
    "a file": is("docs/a.md", { kind: "file", filename: "a.md", size: 1 }),
    "a folder": is("docs/", { kind: "folder", file_count: 2, has_folders: true }),
    "a folder without its slash": gives(`GET ${AT}docs`, { kind: "folder", path: "docs/" }),
    "the whole drive": gives(`GET ${AT}/`, { kind: "folder", path: "", file_count: 5 }),
    "some fields of it": step(`GET ${AT}docs&fields=kind,size,file_count`, {
      json: { kind: "folder", file_count: 2 },
    }),
    nothing: none("other"),
    "a file is no folder": none("plain/"),
  });
});

test("a key that is limited to a folder sees nothing beside it, and changes nothing there", async () => {
  const { id, client } = await stage.ownDrive();
  for (const path of ["in/a", "out/a"])
    await client.send("PUT", `/v0/files?drive_id=${id}&path=${path}`, { body: "x" });
  const { key } = await client.post<{ key: string }>("/v0/keys", { drive_id: id, path_prefix: "in/" });
  const limited = stage.coffer.client(key);
  const at = (path: string) => `/v0/paths?drive_id=${id}&path=${path}`;
  const move = (path: string, destination_path: string) =>
    limited.status("POST", "/v0/paths/move", { body: { drive_id: id, path, destination_path } });
  expect(await limited.status("GET", at("in/a"))).toBe(200);
  expect(await limited.status("GET", at("in"))).toBe(200);
  for (const path of ["out", "out/", "out/a", "", "nowhere"])
    expect(await limited.status("GET", at(path))).toBe(404);
  for (const path of ["out", "out/", "out/a", "nowhere"])
    expect(await limited.status("DELETE", at(path))).toBe(403);
  expect(await move("out/a", "in/b")).toBe(403);
  expect(await move("in/a", "out/b")).toBe(403);
  expect(await limited.json(200, "DELETE", `/v0/paths?drive_id=${id}&glob=**`)).toMatchObject({
    file_count: 1,
  });
  expect(await client.status("GET", at("out/a"))).toBe(200);
});

describe("a move", () => {
  runAfter(stage, given, {
    "of a file": [moves(to("docs/a.md", "new/x.md"), { kind: "file", path: "new/x.md" }), none("docs/a.md")],
    "of a file into a folder": moves(to("docs/a.md", "new/"), { path: "new/a.md" }),
    "of a folder": [
      moves(to("docs/", "new/"), { kind: "folder", path: "new/", file_count: 2 }),
      is("new/sub/b.md", { kind: "file" }),
      none("docs"),
    ],
    "of a folder without its slash": moves(to("docs", "new"), { kind: "folder", path: "new/" }),
    "of a folder into a folder": moves(to("docs", "new/"), { kind: "folder", path: "new/docs/" }),
    "of a folder to the top": moves(to("docs/sub", "/"), { kind: "folder", path: "sub/" }),
    "into itself": step("POST /v0/paths/move", {
      body: { drive_id, ...to("docs", "docs/sub/") },
      status: 409,
      json: { error: { code: "CONFLICT" } },
    }),
  });
});

describe("a place that is taken", () => {
  runAfter(stage, given, {
    "by a file": [
      step("POST /v0/paths/move", {
        body: { drive_id, ...to("docs/a.md", "taken/") },
        status: 409,
        json: { error: { code: "CONFLICT" } },
      }),
      moves(to("docs/a.md", "taken/", { on_conflict: "skip" }), { path: "docs/a.md", skipped: true }),
      moves(to("docs/a.md", "taken/", { on_conflict: "keep_both" }), { path: "taken/a (2).md" }),
      copies(to("taken/a (2).md", "taken/a.md", { on_conflict: "replace" }), { path: "taken/a.md" }),
      gives("GET /v0/files/by-path?drive_id={drive}&path=taken/a.md", { content_preview: "A" }),
      gives("GET /v0/trash?drive_id={drive}", { data: [{ path: "taken/a.md" }] }),
    ],
    "by a folder": [
      step("POST /v0/paths/move", {
        body: { drive_id, ...to("docs", "taken/", { on_conflict: "replace" }) },
        status: 409,
        json: { error: { code: "CONFLICT", message: expect.stringContaining("keep_both") } },
      }),
      copies(to("docs", "taken/", { on_conflict: "skip" }), { kind: "folder", path: "docs/", skipped: true }),
      copies(to("docs", "taken/", { on_conflict: "keep_both" }), { path: "taken/docs (2)/", file_count: 2 }),
      is("taken/docs/", { file_count: 1 }),
    ],
    "by a folder, for a file": copies(to("plain", "docs", { on_conflict: "keep_both" }), {
      path: "docs (2)",
    }),
    "by itself": [
      copies(to("docs/a.md", "docs/a.md", { on_conflict: "keep_both" }), { path: "docs/a (2).md" }),
      moves(to("docs/a.md", "docs/", { on_conflict: "keep_both" }), { path: "docs/a.md" }),
    ],
  });
});

describe("several at once", () => {
  runAfter(stage, given, {
    "files and folders, each with its outcome": moves(
      { paths: ["docs/a.md", "docs/sub/", "none", "plain"], destination_path: "taken/" },
      {
        results: [
          { path: "docs/a.md", status: "failed", error: { code: "CONFLICT" } },
          { path: "docs/sub/", status: "done", to: "taken/sub/" },
          { path: "none", status: "failed", error: { code: "NOT_FOUND" } },
          { path: "plain", status: "done", to: "taken/plain" },
        ],
        done: 2,
        skipped: 0,
        failed: 2,
      },
    ),
    "by a pattern": copies(
      { glob: "docs/**/*.md", destination_path: "taken/", on_conflict: "skip" },
      {
        results: [
          { path: "docs/a.md", status: "skipped" },
          { path: "docs/sub/b.md", status: "done", to: "taken/b.md" },
        ],
      },
    ),
    "and undone at once": [
      moves({ paths: ["docs", "plain", "taken/a.md"], destination_path: "all/" }, { done: 3 }),
      moves({ paths: ["all/docs"], destination_path: "more/" }, { batch_id: expect.any(String) }),
      gives(
        "POST /v0/undo",
        { undone: 2, failed: [] },
        { body: { drive_id, batch_id: "{second.batch_id}" } },
      ),
      gives("POST /v0/undo", { undone: 4, failed: [] }, { body: { drive_id, batch_id: "{first.batch_id}" } }),
      is("docs/", { file_count: 2 }),
      is("taken/a.md", {}),
      is("plain", {}),
    ].map((each, at) => ({ ...each, ...(at < 2 ? { keeps: ["first", "second"][at] ?? "" } : {}) })),
    "and one entry in the summary of the feed": [
      moves({ paths: ["docs", "plain"], destination_path: "all/" }, { done: 2 }),
      gives("GET /v0/changes?drive_id={drive}&summary=true&sort=-id&limit=1", {
        data: [{ type: "files.moved", path: "", file_count: 3 }],
      }),
    ],
    "that leave nothing to undo": moves(
      { paths: ["none"], destination_path: "all/" },
      { failed: 1, batch_id: null },
    ),
    "that are all skipped": moves(
      { paths: ["docs/a.md"], destination_path: "taken/", on_conflict: "skip" },
      { skipped: 1, batch_id: null },
    ),
    "by their ids": [
      gives(`GET ${AT}docs/a.md`, {}, { keeps: "a" }),
      moves(
        { drive_id: undefined, file_ids: ["{a.id}"], destination_path: "new/" },
        { results: [{ path: "{a.id}", status: "done", to: "new/a.md" }] },
      ),
    ],
    "with names that are kept apart": [
      put("x/same.txt", "1"),
      put("y/same.txt", "2"),
      moves(
        { glob: "{x,y}/same.txt", destination_path: "all/", on_conflict: "keep_both" },
        { results: [{ to: "all/same.txt" }, { to: "all/same (2).txt" }], done: 2 },
      ),
    ],
    "into something that is no folder": step("POST /v0/paths/move", {
      body: { drive_id, paths: ["plain"], destination_path: "new" },
      status: 400,
      json: { error: { field: "destination_path" } },
    }),
    "named in two ways": step("POST /v0/paths/move", {
      body: { drive_id, path: "plain", paths: ["plain"], destination_path: "new/" },
      status: 400,
      json: { error: { field: "path" } },
    }),
  });
});

describe("a deletion", () => {
  const all = { kind: "files", path: null, trash_id: null };
  runAfter(stage, given, {
    "of a file": [
      gives(`DELETE ${AT}docs/a.md`, { kind: "file", path: "docs/a.md", deleted: true, file_count: 1 }),
      none("docs/a.md"),
    ],
    "of a folder without its slash": [
      gives(`DELETE ${AT}docs&dry_run=true`, { kind: "folder", deleted: false, file_count: 2 }),
      gives(
        `DELETE ${AT}docs`,
        { kind: "folder", path: "docs/", deleted: true, file_count: 2 },
        { keeps: "gone" },
      ),
      none("docs"),
      gives("POST /v0/trash/{gone.trash_id}/restore", { restored: true, path: "docs/" }, { body: {} }),
    ],
    "of what matches": [
      gives("DELETE /v0/paths?drive_id={drive}&glob=docs/**/*.md&dry_run=true", {
        ...all,
        deleted: false,
        file_count: 2,
        paths: ["docs/a.md", "docs/sub/b.md"],
      }),
      is("docs/a.md", {}),
      gives("DELETE /v0/paths?drive_id={drive}&glob=docs/**/*.md", {
        ...all,
        deleted: true,
        file_count: 2,
        failed: [],
      }),
      is("docs/sub/", { file_count: 0 }),
    ],
    "of nothing": refuses("DELETE /v0/paths?drive_id={drive}", "VALIDATION_ERROR", "path"),
    "of two things": refuses(`DELETE ${AT}plain&glob=*`, "VALIDATION_ERROR", "path"),
    "of the whole drive": refuses(`DELETE ${AT}/`, "VALIDATION_ERROR", "path"),
    "of a folder that has no ETag": step(`DELETE ${AT}docs`, {
      headers: { "if-match": '"x"' },
      status: 400,
      json: { error: { field: "if_match" } },
    }),
    "of a file that has changed": step(`DELETE ${AT}plain`, {
      headers: { "if-match": '"x"' },
      status: 412,
      json: { error: { code: "PRECONDITION_FAILED" } },
    }),
  });
});
