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

/** A new folder, whole. */
const EMPTY = {
  drive_id: "{drive}",
  path: "a/",
  file_count: 0,
  total_size: 0,
  has_folders: false,
  created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
};
const confirm = { confirm: true };
const message = expect.stringMatching(/^Send the same with confirm: true to delete .*3 files/);
const preview = { success: false, deleted_count: 0, path: "a/", file_count: 3, message };

/** The folders at a level of the drive. */
function shows(prefix: string, ...folders: string[]): Step {
  return gives(`GET /v0/files?drive_id={drive}&delimiter=/&prefix=${encodeURIComponent(prefix)}`, {
    folders,
  });
}

const IN_ORDER = ["%", "B", "a b", "a-b", "a.", "a", "b", "\u00e9", "\uFFFD", "\u{1F600}"];

function list(query: string, json: object): Step {
  return gives(`GET /v0/folders?drive_id={drive}${query === "" ? "" : `&${query}`}`, json);
}

const showing = (...paths: string[]) => ({ data: paths.map((path) => ({ path })) });

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
      create("a/", { json: EMPTY }),
      shows("", "a/"),
      holds(),
      list("", { data: [EMPTY] }),
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
});

describe("a folder's folders", () => {
  runScenarios(stage, {
    "of an empty drive": list("", { data: [], total: 0, page: 1, limit: 50, next_cursor: null }),
    "in the order of their bytes, with names of all kinds": [
      ...IN_ORDER.toReversed().map((name) => create(`x/${name}/`)),
      list("path=x/", showing(...IN_ORDER.map((name) => `x/${name}/`))),
    ],
    "by pages": [
      create("a/"),
      create("b/"),
      create("c/"),
      list("limit=2&page=2", { data: [{ path: "c/" }], total: 3, page: 2, limit: 2, next_cursor: null }),
    ],
    "after the last page": [
      create("a/"),
      list("page=1000000000&limit=1000", { data: [], total: 1, next_cursor: null }),
    ],
    "the largest page": [create("a/"), list("limit=1000", { total: 1 })],
    HEAD: step("HEAD /v0/folders?drive_id={drive}", { empty: true }),
    "of a drive by its slug": gives("ada GET /v0/folders?drive_id=ada/notes", {
      data: [{ path: "notes/" }],
      total: 1,
    }),
    "of the root by a lone slash": [create("a/"), list("path=/", showing("a/"))],
    "with a leading slash": [create("a/b/"), list("path=/a/", showing("a/b/"))],
    "without a drive": refuses("GET /v0/folders", "VALIDATION_ERROR", "drive_id"),
  });
  const bad = ["path=a", "path=a//", "path=../", "path=//", "path=%00/", "path=a/&path=b/", "page=0"];
  runEach(stage, [...bad, "limit=0", "limit=1001", "cursor=YQ=="], (query) => [
    `${query} is refused`,
    create("a/"),
    refuses(`GET /v0/folders?drive_id={drive}&${query}`, "VALIDATION_ERROR", query.split("=")[0]),
  ]);

  test("by cursors, to the end and no further, while others come and go", async () => {
    const own = await stage.ownDrive();
    const make = (path: string) => own.client.post("/v0/folders", { drive_id: own.id, path });
    for (const path of ["a/b/", "c/", "e/", "g/", "i/"]) await make(path);
    const at = `/v0/folders?drive_id=${own.id}&limit=2`;
    const page = (cursor: string | null) =>
      own.client.get<{ next_cursor: string | null }>(`${at}&cursor=${cursor}`);
    const first = await own.client.get<{ next_cursor: string | null }>(at);
    expect(first).toMatchObject(showing("a/", "c/"));
    await make("b/");
    await make("d/");
    const second = await page(first.next_cursor);
    expect(second).toMatchObject(showing("d/", "e/"));
    const third = await page(second.next_cursor);
    expect(third).toMatchObject({ ...showing("g/", "i/"), total: 7, next_cursor: null });
  });
});

// The folders of a grouped with a delimiter come on pages, as its files do.

interface Page {
  readonly data: readonly { readonly path: string }[];
  readonly folders: readonly string[];
  readonly folder_total: number;
  readonly total: number;
  readonly next_cursor: string | null;
}

const FOLDERS = Array.from({ length: 12 }, (_, i) => `d/${String(i).padStart(2, "0")}/`);

/** Each once, in order, whatever the length of the pages. */
test.each([0, 3, 12, 30])(
  "twelve folders beside %i files come once each, by cursors and by pages",
  async (files) => {
    const { id, client } = await stage.ownDrive();
    const paths = Array.from({ length: files }, (_, i) => `d/${String(i).padStart(2, "0")}.txt`);
    for (const path of FOLDERS) await client.post("/v0/folders", { drive_id: id, path });
    for (const path of paths) await client.put(id, path, path.repeat(2));
    for (const limit of [1, 5, 12, 100]) {
      const base = `/v0/files?drive_id=${id}&delimiter=/&prefix=d/&limit=${limit}`;
      const count = Math.ceil(Math.max(files, FOLDERS.length) / limit);
      const expectAll = (pages: readonly Page[], sort: string) => {
        for (const page of pages) {
          expect(page).toMatchObject({ total: files, folder_total: FOLDERS.length });
          expect(Math.max(page.folders.length, page.data.length)).toBeLessThanOrEqual(limit);
        }
        expect([limit, sort, pages.length]).toEqual([limit, sort, count]);
        expect(pages.flatMap(({ folders }) => folders)).toEqual(FOLDERS);
        const shown = pages.flatMap(({ data }) => data.map(({ path }) => path));
        expect(shown).toEqual(sort === "-path" ? paths.toReversed() : paths);
        expect(pages.at(-1)?.next_cursor).toBeNull();
      };
      for (const sort of ["path", "-path", "name", "size"])
        expectAll(await client.pages<Page>(`${base}&sort=${sort}`), sort);
      const numbers = Array.from({ length: count }, (_, n) => n + 1);
      const pages = await Array.fromAsync(numbers, (page) => client.get<Page>(`${base}&page=${page}`));
      expectAll(pages, "path");
      const [first, second] = pages;
      if (second === undefined) continue;
      const next = await client.get<Page>(`${base}&cursor=${first?.next_cursor}`);
      expect(next).toEqual({ ...second, page: 1 } as Page);
    }
  },
);

function grouped(query: string, json: object): Step {
  return gives(`GET /v0/files?drive_id={drive}&${query}`, json);
}

describe("the folders of a page", () => {
  const given = [put("aa/1"), put("ab/1"), put("b/1"), put("b/c/1"), put("ax")];

  runAfter(stage, given, {
    "are counted where the prefix ends within a name": grouped("delimiter=/&prefix=a&limit=1", {
      folders: ["aa/"],
      folder_total: 2,
      total: 1,
    }),
    "are none beyond the last page": grouped("delimiter=/&page=9", {
      data: [],
      folders: [],
      folder_total: 3,
      next_cursor: null,
    }),
    "are none of a level that is not there": grouped("delimiter=/&prefix=x/", {
      folders: [],
      folder_total: 0,
    }),
    "are not there without a delimiter": {
      ...grouped("", { total: 5 }),
      omits: ["folder_total", '"folders"'],
    },
    "go on where the cursor's folder is gone": [
      { ...grouped("delimiter=/&limit=1", { folders: ["aa/"] }), keeps: "first" },
      gives("DELETE /v0/folders?drive_id={drive}&path=aa/&confirm=true", { success: true }),
      grouped("delimiter=/&limit=1&cursor={first.next_cursor}", { folders: ["ab/"], folder_total: 2 }),
    ],
    "and the cursor, in another order": [
      { ...grouped("delimiter=/&limit=1", { folders: ["aa/"] }), keeps: "first" },
      {
        ...grouped("delimiter=/&limit=1&sort=size&cursor={first.next_cursor}", {}),
        ...refused("VALIDATION_ERROR", "cursor"),
      },
    ],
  });
});
