import { describe, expect, test } from "bun:test";
import { FILE_SORTS } from "../../../src/domain/files/file.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { gives, invalid, type Step, step, wrongQueries } from "../../support/server/steps.ts";
import { post, put } from "../../support/server/uploads.ts";

const stage = openStage();

interface Page {
  readonly data: readonly { id: string; path: string; size: number; updated_at: string }[];
  readonly folders?: string[];
  readonly total: number;
  readonly next_cursor: string | null;
}

const DAY = 24 * 60 * 60 * 1000;

/** A cursor that was made by somebody else. */
const forged = (...fields: string[]) => Buffer.from(fields.join("\n")).toString("base64url");

function list(query: string, json: object, more: Partial<Step> = {}): Step {
  return step(`GET /v0/files?drive_id={drive}&${query}`, { json, ...more });
}

/** The expectation of files, and of the folders where the list was grouped. */
function shows(paths: readonly string[], folders?: readonly string[]): object {
  const shown = { data: paths.map((path) => ({ path })), total: paths.length };
  return folders === undefined ? shown : { ...shown, folders };
}

/** One more than a file can have. */
const MANY_TAGS = Array.from({ length: 65 }, (_, at) => `t${at}`).join();

function prefix(text: string): string {
  return `prefix=${encodeURIComponent(text)}`;
}

describe("order, prefix and delimiter", () => {
  // In the order of their UTF-8 bytes, which is not that of UTF-16: U+FFFD comes before U+1F600.
  const ab = ["ab/c/d", "ab/c/e", "ab/f"];
  const a = ["a", "a b", "a-b/c", "a.txt", ...ab, "abc/g"];
  const files = ["%/a", "%_[x]", "A.txt", "_", ...a, "b/b/b/b", "z", "\u00e9/x", "\uFFFD", "\u{1F600}/y"];
  const given = files.toReversed().map((path) => put(path, "x"));
  const cases: [query: string, paths: string[], folders?: string[]][] = [
    ["", files],
    [prefix(""), files],
    [prefix("/"), files],
    [prefix("a"), a],
    [prefix("ab"), [...ab, "abc/g"]],
    [prefix("ab/"), ab],
    [prefix("/ab/"), ab],
    [prefix("ab/c"), ["ab/c/d", "ab/c/e"]],
    [prefix("ab/c/d"), ["ab/c/d"]],
    [prefix("ab/c/d/"), []],
    [prefix("%"), ["%/a", "%_[x]"]],
    [prefix("%_"), ["%_[x]"]],
    [prefix("_"), ["_"]],
    [prefix("[x]"), []],
    [prefix("*"), []],
    [prefix("e\u0301"), ["\u00e9/x"]],
    [prefix("\u{1F600}"), ["\u{1F600}/y"]],
    [prefix("\uFFFD"), ["\uFFFD"]],
    [prefix("\u{10FFFF}"), []],
    [prefix("nothing"), []],
    [prefix(".."), []],
    [prefix("a//"), []],
    [
      "delimiter=/",
      ["A.txt", "_", "%_[x]", "a", "a b", "a.txt", "z", "\uFFFD"].toSorted(),
      ["%/", "a-b/", "ab/", "abc/", "b/", "\u00e9/", "\u{1F600}/"],
    ],
    [`delimiter=/&${prefix("a")}`, ["a", "a b", "a.txt"], ["a-b/", "ab/", "abc/"]],
    [`delimiter=/&${prefix("ab")}`, [], ["ab/", "abc/"]],
    [`delimiter=/&${prefix("ab/")}`, ["ab/f"], ["ab/c/"]],
    [`delimiter=/&${prefix("ab/c/")}`, ["ab/c/d", "ab/c/e"], []],
    [`delimiter=/&${prefix("b/b/")}`, [], ["b/b/b/"]],
    [`delimiter=/&${prefix("%")}`, ["%_[x]"], ["%/"]],
    [`delimiter=/&${prefix("nothing/")}`, [], []],
  ];
  runEach(stage, cases, ([query, paths, folders]) => {
    const more = folders === undefined ? { omits: ['"folders"'] } : {};
    const name = query === "" ? "everything" : decodeURIComponent(query);
    return [name, ...given, list(query, shows(paths, folders), more)];
  });
});

describe("parameters", () => {
  const bad = wrongQueries({
    page: ["0", "-1", "x", "1.5", "0x10", "1e3", "", "99999999999999999999", "1&page=2"],
    limit: ["0", "1001", "ten", "%20"],
    delimiter: ["", "%7C", "//"],
    prefix: ["%00", "a%0Ab", "x".repeat(1025), "%ff"],
    cursor: ["not%20base64", "YQ==", "_w"],
    tags: ["%ff", MANY_TAGS],
  });
  runScenarios(stage, {
    "the defaults": [put("a"), list("", { total: 1, page: 1, limit: 50, next_cursor: null })],
    "the largest": [put("a"), list("limit=1000&page=1000000000", { data: [], total: 1, limit: 1000 })],
    "an unknown one": [put("a"), list("order=desc", {}, invalid("order"))],
    "without a drive": step("GET /v0/files", invalid("drive_id")),
    "an empty drive": step("GET /v0/files?drive_id=", invalid("drive_id")),
    "a drive by its slug": gives("ada GET /v0/files?drive_id=ada/notes", shows(["notes/hello.txt"])),
    "a drive by its slug, encoded": gives(
      "ada GET /v0/files?drive_id=ada%2Fnotes",
      shows(["notes/hello.txt"]),
    ),
    HEAD: step("HEAD /v0/files?drive_id={drive}", { empty: true }),
  });
  runEach(stage, bad, ([query, field]) => [
    `${query.slice(0, 40)} is refused`,
    put("a"),
    list(query, {}, invalid(field)),
  ]);
});

describe("tags", () => {
  const given = [
    put("a/1", "x", { request: ["PUT", "/v0/files?drive_id={drive}&path=a/1&tags=red,big"] }),
    put("a/2", "x", { request: ["PUT", "/v0/files?drive_id={drive}&path=a/2&tags=red"], keeps: "two" }),
    put("3", "x", { request: ["PUT", "/v0/files?drive_id={drive}&path=3&tags=Red,%25"] }),
    put("4", "x"),
  ];
  const blue = { tags: ["blue"] };
  runAfter(stage, given, {
    one: list("tags=red", shows(["a/1", "a/2"])),
    "all of several": list("tags=red,big", shows(["a/1"])),
    "in any order, with spaces and repeated": list("tags=big,%20red%20,big,", shows(["a/1"])),
    "case counts": list("tags=Red", shows(["3"])),
    "a wildcard is a character": list("tags=%25", shows(["3"])),
    "none of that name": list("tags=blue", shows([])),
    "as many as a file can have": list(`tags=${MANY_TAGS.split(",", 64).join()}`, shows([])),
    "one known and one unknown": list("tags=red,blue", shows([])),
    "the same ones again and again are looked for once": list(
      `tags=${"red,big,".repeat(1000)}`,
      shows(["a/1"]),
    ),
    "no tag at all": list("tags=,", shows(["3", "4", "a/1", "a/2"])),
    "with a prefix": list("tags=red&prefix=a/2", shows(["a/2"])),
    "with a delimiter": list("tags=red&delimiter=/", shows([], ["a/"])),
    "with a delimiter and a folder": list("tags=red&delimiter=/&prefix=a/", shows(["a/1", "a/2"], [])),
    "with a comma, which can be set, can be asked for": [
      post({ filename: "5", tags: ["Paris, France"] }),
      post({ filename: "6", tags: ["Paris"] }),
      list("tags=Paris,%20France&tags=", shows(["5"])),
      list("tags=Paris,%20France", shows([])),
      list("tags=&tags=%20Paris,%20France%20", shows(["5"])),
      list("tags=Paris,%20France&tags=red", shows([])),
    ],
    "repeated, all of them": list("tags=red&tags=big&tags=", shows(["a/1"])),
    "repeated, none of them": list("tags=&tags=", shows(["3", "4", "a/1", "a/2"])),
    "by pages": list("tags=red&limit=1&page=2", { data: [{ path: "a/2" }], total: 2 }),
    "after they changed": [
      step("PATCH /v0/files/{two.id}", { body: blue, json: blue }),
      list("tags=red", shows(["a/1"])),
      list("tags=blue", shows(["a/2"])),
    ],
  });
});

const inFolder = (sort: string, folder = "a/") => `delimiter=/&prefix=${folder}&sort=${sort}`;

const inN = (names: readonly string[]) => names.map((name) => `n/${name}`);

describe("orders", () => {
  const given = [
    put("a/two", "xx"),
    put("a/ten", "x".repeat(10)),
    put("a/one", "x"),
    put("a/b/none", ""),
    put("c", "xxx"),
  ];
  runScenarios(stage, {
    "folders are named in path order whatever the sort": [
      put("a/x"),
      put("b/x"),
      list(inFolder("-path", ""), { folders: ["a/", "b/"] }),
    ],
  });
  const named = [
    ...["10", "9", "010", "File10", "file9", "file 2", "\u00c9t\u00e9", "etage", "Zoo", "zoo", "a.md"].map(
      (name) => put(`n/${name}`),
    ),
    ...["b10", "B9", "a"].map((name) => put(`n/${name}/x`)),
  ];
  const byName = [
    "9",
    "010",
    "10",
    "a.md",
    "etage",
    "\u00c9t\u00e9",
    "file 2",
    "file9",
    "File10",
    "Zoo",
    "zoo",
  ];
  const folders = inN(["a/", "B9/", "b10/"]);
  runAfter(stage, named, {
    "by name, as people read names: without regard to case and accents, and numbers by their value": [
      list(inFolder("name", "n/"), shows(inN(byName), folders)),
      list(inFolder("-name", "n/"), shows(inN(byName.toReversed()), folders)),
    ],
    "of folders": gives("GET /v0/folders?drive_id={drive}&path=n/&sort=name", {
      data: folders.map((path) => ({ path })),
    }),
  });
  runAfter(stage, given, {
    path: list(inFolder("path"), shows(["a/one", "a/ten", "a/two"])),
    "-path": list(inFolder("-path"), shows(["a/two", "a/ten", "a/one"])),
    "size, as a number": list(inFolder("size"), shows(["a/one", "a/two", "a/ten"])),
    "-size": list(inFolder("-size"), shows(["a/ten", "a/two", "a/one"])),
    "the root": list(inFolder("-size", ""), shows(["c"], ["a/"])),
    "the root by a slash": list(inFolder("-size", "/"), shows(["c"])),
    "a folder that is not there": list(inFolder("size", "b/"), shows([])),
    "path, anywhere": list("sort=path&prefix=a/t", shows(["a/ten", "a/two"])),
    "with empty tags": list(`${inFolder("size")}&tags=,`, { total: 3 }),
    "by pages": list(`${inFolder("-size")}&limit=1&page=2`, { data: [{ path: "a/two" }], total: 3, page: 2 }),
  });
  runEach(
    stage,
    [
      ["without a delimiter", "sort=size"],
      ["without a delimiter, in a folder", "sort=-path&prefix=a/"],
      ["with a prefix that ends in a name", "sort=size&delimiter=/&prefix=a"],
      ["with tags", `${inFolder("updated_at")}&tags=red`],
      ["by name, without a delimiter", "sort=name"],
      ["of no such name", inFolder("names")],
      ["that is empty", inFolder("")],
      ["turned round twice", inFolder("--size")],
      ["in capitals", inFolder("SIZE")],
      ["given twice", `${inFolder("size")}&sort=size`],
    ] as const,
    ([name, query]) => [`one ${name} is refused`, ...given, list(query, {}, invalid("sort"))],
  );
});

const sorted = (sort: string) => `&${inFolder(sort, "even/")}`;

describe("going on", () => {
  /** Of 1, 2 and 3 bytes in turn, and all of the same time, so that all orders have equals on every page. */
  const paths = Array.from({ length: 25 }, (_, n) => `${n % 2 === 0 ? "even" : "odd"}/${(n * 7) % 25}`);
  async function filled() {
    const own = await stage.ownDrive();
    for (const [n, path] of paths.entries()) await own.client.put(own.id, path, "x".repeat(1 + (n % 3)));
    return { own, client: own.client, base: `/v0/files?drive_id=${own.id}` };
  }

  test.each(["", "&prefix=even/", "&prefix=odd/1", ...FILE_SORTS.map(sorted)])(
    "by cursors and by pages every file comes once%s",
    async (query) => {
      const { client, base } = await filled();
      const get = (more: string) => client.get<Page>(base + query + more);
      const [, start = ""] = /prefix=([^&]*)/.exec(query) ?? [];
      const whole = await get("&limit=1000");
      const { total } = whole;
      const expected = paths.filter((path) => path.startsWith(start)).toSorted();
      expect(whole.data.map(({ path }) => path).toSorted()).toEqual(expected);
      for (const limit of [1, 3, 7, 25, 100]) {
        const pages = await client.pages<Page>(`${base}${query}&limit=${limit}`);
        expect(pages).toHaveLength(Math.ceil(expected.length / limit));
        for (const [index, { data, total: known }] of pages.entries()) {
          expect(data).toEqual(whole.data.slice(index * limit, (index + 1) * limit));
          const numbered = await get(`&limit=${limit}&page=${index + 1}`);
          expect(numbered).toMatchObject({ data, total: expected.length, page: index + 1, limit });
          expect(known).toBe(expected.length);
        }
        expect(await get(`&limit=${limit}&page=${pages.length + 1}`)).toMatchObject({ data: [], total });
      }
    },
  );

  test("each order turned round is the opposite", async () => {
    const { client, base } = await filled();
    for (const sort of ["path", "name", "size", "updated_at"]) {
      const whole = await client.paths(base + sorted(sort));
      expect([sort, await client.paths(base + sorted(`-${sort}`))]).toEqual([sort, whole.toReversed()]);
    }
  });

  test("a cursor goes on where it was, whatever came or went meanwhile", async () => {
    const { client, id } = await stage.ownDrive();
    const at = `/v0/files?drive_id=${id}`;
    for (const path of ["b", "d", "f"]) await client.put(id, path, "");
    const first = await client.get<Page>(`${at}&limit=2`);
    expect(first.data.map(({ path }) => path)).toEqual(["b", "d"]);
    for (const each of first.data) await client.delete(`/v0/files/${each.id}`);
    for (const path of ["a", "e", "g"]) await client.put(id, path, "");
    const rest = await client.get(`${at}&cursor=${first.next_cursor}`);
    expect(rest).toMatchObject({ ...shows(["e", "f", "g"]), total: 4 });
  });

  test.each(FILE_SORTS)("from a file that is gone by then, sort %s", async (sort) => {
    const { client, base } = await filled();
    const whole = await client.paths(base + sorted(sort));
    const first = await client.get<Page>(`${base}${sorted(sort)}&limit=5`);
    await client.delete(`/v0/files/${first.data.at(-1)?.id ?? ""}`);
    const rest = await client.paths(`${base}${sorted(sort)}&cursor=${first.next_cursor}`);
    expect(rest).toEqual(whole.slice(5));
  });

  test("a cursor shows nothing of another drive, and nothing before its prefix", async () => {
    const { client, base } = await filled();
    const other = await stage.ownDrive();
    const { next_cursor } = await client.get<Page>(`${base}&limit=1`);
    expect(await other.client.paths(`/v0/files?drive_id=${other.id}&cursor=${next_cursor}`)).toEqual([]);
    const after = (path: string) => client.paths(`${base}&prefix=odd/&cursor=${forged(path)}`);
    expect(await after("a")).toEqual(paths.filter((path) => path.startsWith("odd/")).toSorted());
    expect(await after("zzz")).toEqual([]);
    for (const cursor of ["", "AA", forged("\u{10FFFF}"), forged("../x'--")]) {
      expect([200, 400]).toContain(await client.status("GET", `${base}&cursor=${cursor}`));
    }
  });

  test("a cursor is refused with another sort, and holds no handle of the database's own", async () => {
    const { client, base } = await filled();
    for (const sort of FILE_SORTS) {
      const { data, next_cursor: cursor } = await client.get<Page>(`${base}${sorted(sort)}&limit=3`);
      for (const other of FILE_SORTS.filter((each) => each !== sort)) {
        const answer = await client.send("GET", `${base}${sorted(other)}&cursor=${cursor}`);
        expectRefused(answer, "VALIDATION_ERROR", "cursor");
      }
      const { path, id, size, updated_at } = data[2] ?? {};
      const shown = [sort, path, id, String(size), String(Date.parse(updated_at ?? ""))];
      const fields = Buffer.from(cursor ?? "", "base64url")
        .toString()
        .split("\n");
      for (const field of fields) expect(shown).toContain(field);
    }
  });

  runEach(
    stage,
    [
      ["no number", "size", forged("size", "x", "y")],
      ["no id", "size", forged("size", "1")],
      ["an empty id", "size", forged("size", "1", "")],
      ["a negative number", "size", forged("size", "-1", "y")],
      ["a number past all", "size", forged("size", "9".repeat(16), "y")],
      ["nothing", "size", ""],
      ["a line break", "path", forged("a", "b")],
      ["padding", "-path", `${forged("-path", "a")}=`],
    ],
    ([name = "", sort = "", cursor = ""]) => [
      `a cursor with ${name} is refused`,
      list(`${inFolder(sort)}&cursor=${cursor}`, {}, invalid("cursor")),
    ],
  );
});

describe("a file past its expiry", () => {
  test("is gone at once for whoever has its id, and the sweep changes no number", async () => {
    const { client, id: drive } = await stage.ownDrive();
    const upload = async (path: string, days: number) =>
      (await client.put(drive, path, "12345", 201, `&expires_at=${stage.coffer.clock.iso(days * DAY)}`)).id;
    const ids = [await upload("a/1", 1), await upload("a/b/2", 1)];
    await upload("a/3", 10);
    const look = async () => {
      type Counted = { data: { file_count: number; total_size: number } };
      const { data } = await client.get<Counted>(`/v0/drives/${drive}`);
      const listed = await client.get(`/v0/files?drive_id=${drive}&delimiter=/&prefix=a/`);
      return [data.file_count, data.total_size, listed];
    };
    stage.coffer.clock.advance(DAY - 1);
    expect(await look()).toMatchObject([3, 15, shows(["a/1", "a/3"], ["a/b/"])]);
    stage.coffer.clock.advance(1);
    const seen = await look();
    expect(seen).toMatchObject([1, 5, shows(["a/3"], ["a/b/"])]);
    const body = { destination_path: "x" };
    for (const id of ids) {
      for (const rest of ["", "/download"]) await client.json(404, "GET", `/v0/files/${id}${rest}`);
      for (const rest of ["/copy", "/move"])
        await client.json(404, "POST", `/v0/files/${id}${rest}`, { body });
      for (const how of ["PATCH", "DELETE"]) await client.json(404, how, `/v0/files/${id}`, { body: {} });
    }
    const bulk = await client.post<{ failed: string[] }>("/v0/files/bulk-delete", { file_ids: ids }, 200);
    expect(bulk.failed).toEqual(ids);
    await stage.coffer.appliance.services.sweep.run();
    expect(await look()).toEqual(seen);
  });

  test.each([true, false])(
    "is none that an upload finds at its path, with a sweep in between: %p",
    async (swept) => {
      const { client, id } = await stage.ownDrive();
      const made = await client.put(id, "a", "1", 201, `&expires_at=${stage.coffer.clock.iso(DAY)}`);
      stage.coffer.clock.advance(DAY);
      if (swept) await stage.coffer.appliance.services.sweep.run();
      const again = await client.json<{ id: string }>(201, "PUT", `/v0/files?drive_id=${id}&path=a`, {
        body: "333",
        headers: { "if-none-match": "*" },
      });
      expect(again.id).not.toBe(made.id);
    },
  );
});
