import { beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../support/server/client.ts";
import { gives, openStage, put, refused, runScenarios, type Step } from "../../support/server/scenario.ts";

// The folders of a list with a delimiter come on pages, as its files do.

const stage = openStage();

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

function list(query: string, json: object): Step {
  return gives(`GET /v0/files?drive_id={drive}&${query}`, json);
}

describe("the folders of a page", () => {
  const given = [put("aa/1"), put("ab/1"), put("b/1"), put("b/c/1"), put("ax")];

  runScenarios(stage, {
    "are counted where the prefix ends within a name": [
      ...given,
      list("delimiter=/&prefix=a&limit=1", { folders: ["aa/"], folder_total: 2, total: 1 }),
    ],
    "are none beyond the last page": [
      ...given,
      list("delimiter=/&page=9", { data: [], folders: [], folder_total: 3, next_cursor: null }),
    ],
    "are none of a level that is not there": [
      ...given,
      list("delimiter=/&prefix=x/", { folders: [], folder_total: 0 }),
    ],
    "are not there without a delimiter": [
      ...given,
      { ...list("", { total: 5 }), omits: ["folder_total", '"folders"'] },
    ],
    "go on where the cursor's folder is gone": [
      ...given,
      { ...list("delimiter=/&limit=1", { folders: ["aa/"] }), keeps: "first" },
      gives("DELETE /v0/folders?drive_id={drive}&path=aa/&confirm=true", { success: true }),
      list("delimiter=/&limit=1&cursor={first.next_cursor}", { folders: ["ab/"], folder_total: 2 }),
    ],
    "and the cursor, in another order": [
      ...given,
      { ...list("delimiter=/&limit=1", { folders: ["aa/"] }), keeps: "first" },
      {
        ...list("delimiter=/&limit=1&sort=size&cursor={first.next_cursor}", {}),
        ...refused("VALIDATION_ERROR", "cursor"),
      },
    ],
  });
});
