import { describe, expect, test } from "bun:test";
import type { Json } from "../../support/server/client.ts";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import type { Expected, Step } from "../../support/server/steps.ts";
import { gives, refused, refuses, step, invalid, wrongQueries } from "../../support/server/steps.ts";
import { holds, put } from "../../support/server/uploads.ts";

const stage = openStage();

// What is made, deleted and listed in what order, and what it comes to, is in files/listing-model.test.ts.

function create(path: Json, more: Partial<Step> = {}): Step {
  const body = { drive_id: "{drive}", path };
  return step("POST /v0/folders", { body, status: 201, json: { path }, ...more });
}

function remove(path: Json, fields: { [name: string]: Json }, more: Expected): Step {
  return step("DELETE /v0/folders", { body: { drive_id: "{drive}", path, ...fields }, ...more });
}

const confirm = { confirm: true };
const message = expect.stringMatching(/^Send the same with confirm: true to delete .*3 files/);
const preview = { success: false, deleted_count: 0, path: "a/", file_count: 3, message };

/** The folders at a level of the drive. */
function shows(prefix: string, ...folders: string[]): Step {
  return gives(`GET /v0/files?drive_id={drive}&delimiter=/&prefix=${encodeURIComponent(prefix)}`, {
    folders,
  });
}

const BAD_PATHS: [name: string, path: Json][] = [
  ["without a trailing slash", "a"],
  ["empty", ""],
  ["the root", "/"],
  ["two slashes", "//"],
  ["an empty segment", "a//b/"],
  ["climbing out", "../"],
  ["a segment ..", "a/../b/"],
  ["a segment .", "./"],
  ["a backslash", "a\\b/"],
  ["NUL", "a\u0000/"],
  ["a line break", "a\n/"],
  ["half a surrogate pair", "\ud800/"],
  ["a segment of 256 bytes", `${"x".repeat(256)}/`],
  ["1,025 bytes", `${"abcdefg/".repeat(128)}/`],
  ["10 kB", "a/".repeat(5000)],
  ["a number", 5],
  ["null", null],
];

describe("create", () => {
  runScenarios(stage, {
    "answers the folder, whole": [
      create("a/", {
        json: {
          drive_id: "{drive}",
          path: "a/",
          file_count: 0,
          total_size: 0,
          has_folders: false,
          created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
        },
      }),
      shows("", "a/"),
      holds(),
    ],
    "one that is there": [
      create("a/", { keeps: "old" }),
      create("a/", { status: 200, json: { created_at: "{old.created_at}" } }),
    ],
    "one that an upload made": [
      put("a/b"),
      create("a/", { status: 200, json: { file_count: 1, total_size: 12, has_folders: false } }),
      holds("a/b"),
    ],
    "a leading slash is dropped": create("/a/", { json: { path: "a/" } }),
    "decomposed letters are composed": [
      create("\u00e9/"),
      create("e\u0301/", { status: 200, json: { path: "\u00e9/" } }),
    ],
    "a folder of 1,024 bytes": create("abcdefg/".repeat(128)),
    "without a path": create(null, { body: { drive_id: "{drive}" }, ...invalid("path") }),
    "without a drive": create(null, { body: { path: "a/" }, ...invalid("drive_id") }),
  });
  runEach(stage, BAD_PATHS, ([name, path]) => [
    `${name} is refused`,
    create(path, invalid("path")),
    shows(""),
  ]);
});

describe("delete", () => {
  const given = [put("a/1"), put("a/b/2"), put("a/b/c/3"), put("ab/4"), create("a/empty/")];
  const everything = holds("a/1", "a/b/2", "a/b/c/3", "ab/4");
  runScenarios(stage, {
    "a preview of one that is not there": remove("nothing/", {}, refused("NOT_FOUND")),
    "without any parameter": refuses("DELETE /v0/folders", "VALIDATION_ERROR", "drive_id"),
    "without a path": refuses("DELETE /v0/folders?drive_id={drive}", "VALIDATION_ERROR", "path"),
    "with its parameters in the query": [
      put("a/b"),
      gives("DELETE /v0/folders?drive_id={drive}&path=a/&confirm=true", { success: true, deleted_count: 1 }),
      holds(),
    ],
    "with its parameters in both, in part the same": [
      put("a/b"),
      step("DELETE /v0/folders?path=a/&confirm=true", {
        body: { drive_id: "{drive}", path: "a/" },
        json: { success: true, deleted_count: 1 },
      }),
    ],
  });
  runAfter(stage, given, {
    "without confirm it is a preview": [
      remove("a/", {}, { json: preview }),
      everything,
      shows("a/", "a/b/", "a/empty/"),
    ],
    "confirm: false is a preview": [
      remove("a/b/", { confirm: false }, { json: { path: "a/b/", file_count: 2 } }),
      everything,
    ],
    "confirm: null is a preview": [
      remove("a/", { confirm: null }, { json: { path: "a/", file_count: 3 } }),
      everything,
    ],
    "a preview, with its parameters in the query": [
      gives("DELETE /v0/folders?drive_id={drive}&path=a/", { path: "a/", file_count: 3 }),
      everything,
    ],
  });
  runEach(stage, BAD_PATHS, ([name, path]) => [
    `${name} is refused`,
    put("a/b"),
    remove(path, confirm, invalid("path")),
    holds("a/b"),
  ]);
  runEach(stage, ["true", 1, "yes"], (value) => [
    `confirm: ${JSON.stringify(value)} is refused`,
    put("a/b"),
    remove("a/", { confirm: value }, invalid("confirm")),
    holds("a/b"),
  ]);
  const sent = { drive_id: "{drive}", path: "a/", confirm: true };
  runEach(stage, wrongQueries({ drive_id: ["x"], path: ["b/"], confirm: ["false"] }), ([query, field]) => [
    `with another ${field} in the query than in the body`,
    put("a/b"),
    put("b/c"),
    step(`DELETE /v0/folders?${query}`, { body: sent, ...invalid(field) }),
    holds("a/b", "b/c"),
  ]);

  test("a thousand files at once", async () => {
    const own = await stage.ownDrive();
    await Promise.all(Array.from({ length: 1000 }, (_, i) => own.client.put(own.id, `a/${i % 10}/${i}`)));
    const body = { drive_id: own.id, path: "a/", confirm: true };
    const { deleted_count } = await own.client.delete<{ deleted_count: number }>("/v0/folders", body);
    expect(deleted_count).toBe(1000);
    expect(await own.client.paths(`/v0/files?drive_id=${own.id}`)).toEqual([]);
  });
});
