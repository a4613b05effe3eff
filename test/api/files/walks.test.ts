import { describe, expect, test } from "bun:test";
import type { Client } from "../../support/server/client.ts";
import { openStage, runAfter, runEach } from "../../support/server/scenario.ts";
import { refuses, step, type Step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";

const stage = openStage();

const PATHS = [".hidden/x.md", "README.md", "a/.b.md", "a/b/c/deep.md", "a/b/two.ts", "a/one.md", "é/ü.md"];
const FOLDERS = [".hidden/", "a/", "a/b/", "a/b/c/", "empty/", "empty/inner/", "é/"];
const given = [
  ...PATHS.map((path) => put(path, "x")),
  step("POST /v0/folders", { body: { drive_id: "{drive}", path: "empty/inner/" }, status: 201, json: {} }),
];

function list(query: string, paths: readonly string[], folders?: readonly string[]): Step {
  const data = paths.map((path) => ({ path }));
  const level = folders === undefined ? {} : { folders, folder_total: null };
  return step(`GET /v0/files?drive_id={drive}&${query}`, {
    json: { data, total: null, next_cursor: null, ...level },
  });
}

const glob = (pattern: string) => `glob=${encodeURIComponent(pattern)}`;

describe("a pattern of paths", () => {
  runAfter(stage, given, {
    "at any depth": list(
      glob("**/*.md"),
      PATHS.filter((path) => path.endsWith(".md")),
    ),
    "of one level": list(glob("*.md"), ["README.md"]),
    "of all in a folder": list(glob("a/**"), ["a/.b.md", "a/b/c/deep.md", "a/b/two.ts", "a/one.md"]),
    "with braces": list(glob("{a,a/b}/*.{md,ts}"), ["a/.b.md", "a/b/two.ts", "a/one.md"]),
    "with brackets, after a slash": list(glob("/[a-z]/one.m?"), ["a/one.md"]),
    "with decomposed letters": list(glob("e\u0301/u\u0308.md"), ["é/ü.md"]),
    "below a folder": list(`prefix=a/b/&${glob("**/*.md")}`, ["a/b/c/deep.md"]),
    "below the folder of a part of a name": list(`prefix=a/o&${glob("*.md")}`, ["a/one.md"]),
    "that begins otherwise than the prefix": list(`prefix=a/o&${glob("b/*")}`, []),
    "that nothing matches": list(glob("**/*.exe"), []),
    "and a depth": list(`depth=2&${glob("**/*.ts")}`, []),
    "of lines": step(`GET /v0/grep?drive_id={drive}&pattern=x&prefix=a/&${glob("**/*.ts")}`, {
      json: { data: [{ path: "a/b/two.ts", matches: [{ line_number: 1 }] }], next_cursor: null },
    }),
  });
});

describe("a depth", () => {
  const near = [".hidden/x.md", "README.md", "a/.b.md", "a/one.md", "é/ü.md"];
  const two = FOLDERS.filter((folder) => folder.split("/").length <= 3);
  const one = FOLDERS.filter((folder) => folder.split("/").length === 2);
  runAfter(stage, given, {
    "of one": list("depth=1", ["README.md"], one),
    "of two": list("depth=2", near, two),
    "of more than there is": list("depth=100", PATHS, FOLDERS),
    "below a folder": list("prefix=a/&depth=1", ["a/.b.md", "a/one.md"], ["a/b/"]),
    "of two below a folder": list(
      "prefix=a/&depth=2",
      ["a/.b.md", "a/b/two.ts", "a/one.md"],
      ["a/b/", "a/b/c/"],
    ),
    "and tags": [
      step("PATCH /v0/files/by-path?drive_id={drive}&path=a/one.md", {
        body: { tags: ["t"] },
        json: { tags: ["t"] },
      }),
      list("depth=2&tags=t", ["a/one.md"], two),
    ],
  });
});

describe("what does not go with them", () => {
  runEach(
    stage,
    [
      ["delimiter=/&depth=1", "delimiter"],
      ["sort=size&depth=1", "sort"],
      ["page=2&depth=1", "page"],
      ["depth=0", "depth"],
      ["depth=101", "depth"],
      [glob(""), "glob"],
      [glob("!a"), "glob"],
      [glob("a\u0000"), "glob"],
      [glob("x".repeat(257)), "glob"],
      ["fields=path,Size", "fields"],
      ["fields=", "fields"],
    ] as const,
    ([query, field]) => [
      query,
      refuses(`GET /v0/files?drive_id={drive}&${query}`, "VALIDATION_ERROR", field),
    ],
  );
});

interface Page {
  readonly data: { path: string }[];
  readonly folders?: string[];
  readonly next_cursor: string | null;
}

/** All pages of a list. */
async function all(client: Client, query: string): Promise<{ paths: string[]; folders: string[] }> {
  const [paths, folders]: [string[], string[]] = [[], []];
  let cursor = "";
  do {
    const page = await client.get<Page>(`/v0/files?${query}&limit=2${cursor}`);
    expect(page.data.length).toBeLessThanOrEqual(2);
    paths.push(...page.data.map(({ path }) => path));
    folders.push(...(page.folders ?? []));
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return { paths, folders };
}

describe("page by page", () => {
  const cases = [1, 2, 3].flatMap((depth) =>
    ["", "a", "a/", "c/c/"].map((prefix) => [depth, prefix] as const),
  );
  test("each is shown once, whatever is passed over", async () => {
    const { id, client } = await stage.ownDrive();
    const names = ["a", "b", "c"];
    const paths = names.flatMap((x) =>
      names.flatMap((y) => [`${x}/${y}/z`, `${x}/${y}/a/b`, `${x}/${y}.txt`]),
    );
    await Promise.all(
      paths.map((path) => client.send("PUT", `/v0/files?drive_id=${id}&path=${path}`, { body: path })),
    );
    const folders = new Set(
      paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))),
    );
    for (const [depth, prefix] of cases) {
      const base = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      const isShown = (path: string) =>
        path.startsWith(prefix) &&
        path !== base &&
        path.slice(base.length).replace(/\/$/, "").split("/").length <= depth;
      expect(await all(client, `drive_id=${id}&depth=${depth}&prefix=${prefix}`)).toEqual({
        paths: paths.filter(isShown).toSorted(),
        folders: [...folders].filter(isShown).toSorted(),
      });
    }
  });
});

test("fields are those that were asked for, in every kind of list", async () => {
  const { id, client } = await stage.ownDrive();
  await client.send("PUT", `/v0/files?drive_id=${id}&path=a.txt&tags=t`, { body: "needle" });
  const file = await client.get<object>(`/v0/files/by-path?drive_id=${id}&path=a.txt`);
  const whole = await client.get<{ data: object[] }>(`/v0/files?drive_id=${id}`);
  expect(whole.data).toEqual([file]);
  const names = Object.keys(file);
  for (const fields of [...names, names.join(","), " size , path "].map(encodeURIComponent)) {
    const wanted = new Set(
      decodeURIComponent(fields)
        .split(",")
        .map((name) => name.trim()),
    );
    const part = Object.fromEntries(Object.entries(file).filter(([name]) => wanted.has(name)));
    expect(await client.get<object>(`/v0/files/by-path?drive_id=${id}&path=a.txt&fields=${fields}`)).toEqual(
      part,
    );
    for (const query of ["", "&delimiter=/", "&tags=t", "&glob=*", "&depth=1"]) {
      const { data } = await client.get<{ data: object[] }>(
        `/v0/files?drive_id=${id}${query}&fields=${fields}`,
      );
      expect(data).toEqual([part]);
    }
  }
  const lines = await client.get<{ data: object[] }>(
    `/v0/grep?drive_id=${id}&pattern=needle&fields=path,matches`,
  );
  expect(lines.data).toEqual([
    { path: "a.txt", matches: [{ line_number: 1, line: "needle", before: [], after: [] }] },
  ]);
  const found = await client.get<{ data: object[] }>(
    `/v0/search?drive_id=${id}&q=needle&fields=path,snippet`,
  );
  expect(found.data).toEqual([{ path: "a.txt", snippet: "needle" }]);
});
