import { describe, expect, test } from "bun:test";
import type { Json } from "../../support/server/client.ts";
import {
  holds,
  openStage,
  put,
  refused,
  runScenarios,
  type Expected,
  type Scenario,
  type Step,
} from "../../support/server/scenario.ts";

const stage = openStage();

function create(path: Json, more: Partial<Step> = {}): Step {
  const body = { drive_id: "{drive}", path };
  return { request: ["POST", "/v0/folders"], body, status: 201, json: { path }, ...more };
}

function remove(path: Json, fields: { [name: string]: Json }, more: Expected): Step {
  return {
    request: ["DELETE", "/v0/folders"],
    body: { drive_id: "{drive}", path, ...fields },
    status: 200,
    ...more,
  };
}

const confirm = { confirm: true };

/** The folders at a level of the drive. */
function shows(prefix: string, ...folders: string[]): Step {
  return {
    request: ["GET", `/v0/files?drive_id={drive}&delimiter=/&prefix=${encodeURIComponent(prefix)}`],
    status: 200,
    json: { folders },
  };
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
  runScenarios(stage, [
    {
      name: "answers the folder, whole",
      ...create("a/", {
        json: {
          drive_id: "{drive}",
          path: "a/",
          file_count: 0,
          total_size: 0,
          has_folders: false,
          created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
        },
      }),
      after: [shows("", "a/"), holds()],
    },
    {
      name: "makes the folders above",
      ...create("a/b/c/", { json: { path: "a/b/c/" } }),
      after: [shows("", "a/"), shows("a/", "a/b/"), shows("a/b/", "a/b/c/"), shows("a/b/c/"), holds()],
    },
    {
      name: "one that is there",
      given: [create("a/", { keeps: "old" })],
      ...create("a/", { status: 200, json: { created_at: "{old.created_at}" } }),
    },
    {
      name: "one that an upload made",
      given: [put("a/b")],
      ...create("a/", { status: 200, json: { file_count: 1, total_size: 12, has_folders: false } }),
      after: [holds("a/b")],
    },
    { name: "a leading slash is dropped", ...create("/a/", { json: { path: "a/" } }) },
    {
      name: "decomposed letters are composed",
      given: [create("\u00e9/")],
      ...create("e\u0301/", { status: 200, json: { path: "\u00e9/" } }),
    },
    {
      name: "where a file stands",
      given: [put("a")],
      ...create("a/", refused("CONFLICT")),
      after: [shows(""), holds("a")],
    },
    {
      name: "below a file",
      given: [put("x/a")],
      ...create("x/a/b/c/", refused("CONFLICT")),
      after: [shows("x/"), holds("x/a")],
    },
    ...BAD_PATHS.map(([name, path]): Scenario => ({
      name: `${name} is refused`,
      ...create(path, refused("VALIDATION_ERROR", "path")),
      after: [shows("")],
    })),
    { name: "a folder of 1,024 bytes", ...create("abcdefg/".repeat(128)) },
    {
      name: "without a path",
      ...create(null, { body: { drive_id: "{drive}" }, ...refused("VALIDATION_ERROR", "path") }),
    },
    {
      name: "without a drive",
      ...create(null, { body: { path: "a/" }, ...refused("VALIDATION_ERROR", "drive_id") }),
    },
    {
      name: "in a foreign drive",
      ...create(null, { body: { drive_id: "{drives.ada}", path: "a/" }, ...refused("NOT_FOUND") }),
    },
    {
      name: "stays when its last file goes",
      given: [put("a/b", "x", { keeps: "file" })],
      request: ["DELETE", "/v0/files/{file.id}"],
      status: 200,
      json: { id: "{file.id}", deleted: true },
      after: [shows("", "a/")],
    },
  ]);
});

describe("delete", () => {
  const given = [put("a/1"), put("a/b/2"), put("a/b/c/3"), put("ab/4"), put("a.txt"), create("a/empty/")];
  const everything = holds("a.txt", "a/1", "a/b/2", "a/b/c/3", "ab/4");
  runScenarios(stage, [
    {
      name: "without confirm it is a preview",
      given,
      ...remove(
        "a/",
        {},
        {
          json: {
            success: false,
            deleted_count: 0,
            path: "a/",
            file_count: 3,
            message: expect.stringMatching(/^Send the same with confirm: true to delete .*3 files/),
          },
        },
      ),
      after: [everything, shows("a/", "a/b/", "a/empty/")],
    },
    {
      name: "confirm: false is a preview",
      given,
      ...remove("a/b/", { confirm: false }, { json: { path: "a/b/", file_count: 2 } }),
      after: [everything],
    },
    {
      name: "with confirm it takes all below, and nothing beside",
      given,
      ...remove("a/", confirm, { json: { success: true, deleted_count: 3 } }),
      after: [
        holds("a.txt", "ab/4"),
        shows("", "ab/"),
        {
          request: ["GET", "/v0/drives/{drive}"],
          status: 200,
          json: { data: { file_count: 2, total_size: 24 } },
        },
        remove("a/", confirm, refused("NOT_FOUND")),
        remove("a/b/", {}, refused("NOT_FOUND")),
      ],
    },
    {
      name: "a folder within another",
      given,
      ...remove("a/b/", confirm, { json: { deleted_count: 2 } }),
      after: [
        holds("a.txt", "a/1", "ab/4"),
        shows("a/", "a/empty/"),
        remove("a/", {}, { json: { file_count: 1 } }),
      ],
    },
    {
      name: "an empty one",
      given,
      ...remove("a/empty/", confirm, { json: { success: true, deleted_count: 0 } }),
      after: [everything, shows("a/", "a/b/")],
    },
    {
      name: "frees the place for a file",
      given: [put("a/b"), remove("a/", confirm, { json: { deleted_count: 1 } })],
      ...put("a"),
      after: [holds("a")],
    },
    {
      name: "a wildcard is a name",
      given: [put("%/x"), put("a/x"), put("_/x")],
      ...remove("%/", confirm, { json: { deleted_count: 1 } }),
      after: [holds("_/x", "a/x")],
    },
    {
      name: "tags of what went are gone as well",
      given: [
        put("a/b", "x", { request: ["PUT", "/v0/files?drive_id={drive}&path=a/b&tags=t"] }),
        remove("a/", confirm, { json: { deleted_count: 1 } }),
      ],
      request: ["GET", "/v0/files?drive_id={drive}&tags=t"],
      status: 200,
      json: { data: [], total: 0 },
    },
    {
      name: "one that is not there",
      given,
      ...remove("nothing/", confirm, refused("NOT_FOUND")),
      after: [everything],
    },
    { name: "a preview of one that is not there", ...remove("nothing/", {}, refused("NOT_FOUND")) },
    {
      name: "a file is no folder",
      given,
      ...remove("a.txt/", confirm, refused("NOT_FOUND")),
      after: [everything],
    },
    ...BAD_PATHS.map(([name, path]): Scenario => ({
      name: `${name} is refused`,
      given: [put("a/b")],
      ...remove(path, confirm, refused("VALIDATION_ERROR", "path")),
      after: [holds("a/b")],
    })),
    ...["true", 1, "yes"].map((value): Scenario => ({
      name: `confirm: ${JSON.stringify(value)} is refused`,
      given: [put("a/b")],
      ...remove("a/", { confirm: value }, refused("VALIDATION_ERROR", "confirm")),
      after: [holds("a/b")],
    })),
    {
      name: "confirm: null is a preview",
      given,
      ...remove("a/", { confirm: null }, { json: { path: "a/", file_count: 3 } }),
      after: [everything],
    },
    {
      name: "without any parameter",
      request: ["DELETE", "/v0/folders"],
      ...refused("VALIDATION_ERROR", "drive_id"),
    },
    {
      name: "without a path",
      request: ["DELETE", "/v0/folders?drive_id={drive}"],
      ...refused("VALIDATION_ERROR", "path"),
    },
    {
      name: "a preview, with its parameters in the query",
      given,
      request: ["DELETE", "/v0/folders?drive_id={drive}&path=a/"],
      status: 200,
      json: { path: "a/", file_count: 3 },
      after: [everything],
    },
    {
      name: "with its parameters in the query",
      given: [put("a/b")],
      request: ["DELETE", "/v0/folders?drive_id={drive}&path=a/&confirm=true"],
      status: 200,
      json: { success: true, deleted_count: 1 },
      after: [holds()],
    },
    {
      name: "with its parameters in both, in part the same",
      given: [put("a/b")],
      request: ["DELETE", "/v0/folders?path=a/&confirm=true"],
      body: { drive_id: "{drive}", path: "a/" },
      status: 200,
      json: { success: true, deleted_count: 1 },
    },
    ...(
      [
        ["drive_id=x", "drive_id"],
        ["path=b/", "path"],
        ["confirm=false", "confirm"],
      ] as const
    ).map(([query, field]): Scenario => ({
      name: `with another ${field} in the query than in the body`,
      given: [put("a/b"), put("b/c")],
      request: ["DELETE", `/v0/folders?${query}`],
      body: { drive_id: "{drive}", path: "a/", confirm: true },
      ...refused("VALIDATION_ERROR", field),
      after: [holds("a/b", "b/c")],
    })),
    {
      name: "in a foreign drive",
      request: ["DELETE", "/v0/folders"],
      body: { drive_id: "{drives.ada}", path: "notes/", confirm: true },
      ...refused("NOT_FOUND"),
      after: [
        { as: "ada", request: ["GET", "/v0/files/{files.ada}"], status: 200, json: { id: "{files.ada}" } },
      ],
    },
  ]);

  test("a thousand files at once", async () => {
    const own = await stage.ownDrive();
    const at = `/v0/files?drive_id=${own.id}`;
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        own.client.json(201, "PUT", `${at}&path=a/${i % 10}/${i}`, { body: "x" }),
      ),
    );
    const body = { drive_id: own.id, path: "a/", confirm: true };
    const { deleted_count } = await own.client.delete<{ deleted_count: number }>("/v0/folders", body);
    expect(deleted_count).toBe(1000);
    expect(await own.client.get<{ total: number }>(at)).toMatchObject({ total: 0 });
  });
});
