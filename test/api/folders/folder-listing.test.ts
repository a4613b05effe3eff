import { describe, expect, test, beforeAll } from "bun:test";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { gives, refuses, type Step, step, refused } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import type { Client } from "../../support/server/client.ts";

const stage = openStage();

const IN_ORDER = ["%", "B", "a b", "a-b", "a.", "a", "b", "\u00e9", "\uFFFD", "\u{1F600}"];
const TIME = expect.stringMatching(/^20.*\.\d{3}Z$/);

interface FolderPage {
  readonly data: readonly { readonly path: string }[];
  readonly next_cursor: string | null;
}

function create(path: string): Step {
  const body = { drive_id: "{drive}", path };
  return step("POST /v0/folders", { body, status: 201, json: { path } });
}

function list(query: string, json: object): Step {
  return gives(`GET /v0/folders?drive_id={drive}${query === "" ? "" : `&${query}`}`, json);
}

const showing = (...paths: string[]) => ({ data: paths.map((path) => ({ path })) });

const EMPTY = { file_count: 0, total_size: 0, has_folders: false };

// Which folders there are, with how much in them, now and when files have expired, is in files/listing-model.test.ts.

describe("a folder's folders", () => {
  runScenarios(stage, {
    "of an empty drive": list("", { data: [], total: 0, page: 1, limit: 50, next_cursor: null }),
    "whole records": [
      create("a/"),
      list("", { data: [{ drive_id: "{drive}", ...EMPTY, path: "a/", created_at: TIME }] }),
    ],
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
    const page = (cursor: string | null) => own.client.get<FolderPage>(`${at}&cursor=${cursor}`);
    const first = await own.client.get<FolderPage>(at);
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

/** A drive with twelve folders in `d/`, and so many files. */
async function filled(files: number): Promise<{ client: Client; base: string; paths: string[] }> {
  const { id, client } = await stage.ownDrive();
  const paths = Array.from({ length: files }, (_, i) => `d/${String(i).padStart(2, "0")}.txt`);
  for (const path of FOLDERS) await client.post("/v0/folders", { drive_id: id, path });
  for (const path of paths) await client.put(id, path, path.repeat(2));
  return { client, base: `/v0/files?drive_id=${id}&delimiter=/&prefix=d/`, paths };
}

for (const files of [0, 3, 12, 30]) {
  describe(`twelve folders beside ${files} files`, () => {
    let drive: Awaited<ReturnType<typeof filled>>;
    beforeAll(async () => {
      drive = await filled(files);
    });

    for (const limit of [1, 5, 12, 100]) {
      for (const sort of ["path", "-path", "size"]) {
        test(`come once each, by cursors of ${limit}, sorted by ${sort}`, async () => {
          const { client, base, paths } = drive;
          const pages = await client.pages<Page>(`${base}&limit=${limit}&sort=${sort}`);
          for (const page of pages) {
            expect(page).toMatchObject({ total: files, folder_total: FOLDERS.length });
            expect(Math.max(page.folders.length, page.data.length)).toBeLessThanOrEqual(limit);
          }
          expect(pages.flatMap(({ folders }) => folders)).toEqual(FOLDERS);
          const shown = pages.flatMap(({ data }) => data.map(({ path }) => path));
          expect(shown).toEqual(sort === "-path" ? paths.toReversed() : paths);
          expect(pages).toHaveLength(Math.max(1, Math.ceil(Math.max(files, FOLDERS.length) / limit)));
        });
      }

      test(`come once each, by pages of ${limit}, and the cursor of a page goes on after it`, async () => {
        const { client, base, paths } = drive;
        const pages: Page[] = [];
        for (let page = 1; page <= Math.ceil(Math.max(files, FOLDERS.length) / limit); page += 1)
          pages.push(await client.get<Page>(`${base}&limit=${limit}&page=${page}`));
        expect(pages.flatMap(({ folders }) => folders)).toEqual(FOLDERS);
        expect(pages.flatMap(({ data }) => data.map(({ path }) => path))).toEqual(paths);
        expect(pages.at(-1)?.next_cursor).toBeNull();
        const [first, second] = pages;
        if (second === undefined) return;
        const next = await client.get<Page>(`${base}&limit=${limit}&cursor=${first?.next_cursor}`);
        expect(next).toEqual({ ...second, page: 1 } as Page);
      });
    }
  });
}

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
