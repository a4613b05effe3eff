import { beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../support/server/client.ts";
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
    "after a move": [
      step("POST /v0/files/{two.id}/move", {
        body: { destination_path: "0" },
        json: { id: "{two.id}", path: "0", tags: ["red"] },
      }),
      list("tags=red", shows(["0", "a/1"])),
    ],
    "after a copy": [
      step("POST /v0/files/{two.id}/copy", {
        body: { destination_path: "0" },
        status: 201,
        json: { path: "0", tags: ["red"] },
      }),
      list("tags=red", shows(["0", "a/1", "a/2"])),
    ],
    "after a deletion": [
      step("DELETE /v0/files/{two.id}", { json: { id: "{two.id}", deleted: true } }),
      list("tags=red", shows(["a/1"])),
    ],
    "after a replacement without tags": [
      step("PUT /v0/files?drive_id={drive}&path=a/2&tags=", { body: "y", json: { tags: [] } }),
      list("tags=red", shows(["a/1"])),
    ],
  });
});

describe("paging through", () => {
  const paths = Array.from(
    { length: 25 },
    (_, i) => `${i % 2 === 0 ? "even" : "odd"}/${String(i).padStart(2, "0")}`,
  ).toSorted();
  let client: Client;
  let base = "";
  beforeAll(async () => {
    const own = await stage.ownDrive();
    client = own.client;
    base = `/v0/files?drive_id=${own.id}`;
    await Promise.all(paths.map((path) => client.put(own.id, path, path)));
  });

  const queries: [query: string, matching: (path: string) => boolean][] = [
    ["", () => true],
    ["&prefix=even/", (path) => path.startsWith("even/")],
    ["&prefix=odd/1", (path) => path.startsWith("odd/1")],
    ["&prefix=even/&delimiter=/", (path) => path.startsWith("even/")],
  ];
  for (const [query, matching] of queries) {
    const expected = paths.filter(matching);
    for (const limit of [1, 7, 25, 100]) {
      test(`by pages of ${limit}${query}`, async () => {
        const seen: string[] = [];
        for (let page = 1; page <= Math.ceil(expected.length / limit) + 1; page += 1) {
          const answer = await client.get<Page>(`${base}${query}&limit=${limit}&page=${page}`);
          expect(answer).toMatchObject({ total: expected.length, page, limit });
          seen.push(...answer.data.map(({ path }) => path));
        }
        expect(seen).toEqual(expected);
      });

      test(`by cursors of ${limit}${query}`, async () => {
        const pages = await client.pages<Page>(`${base}${query}&limit=${limit}`);
        for (const { total } of pages) expect(total).toBe(expected.length);
        expect(pages.flatMap(({ data }) => data.map(({ path }) => path))).toEqual(expected);
      });
    }
  }

  test("a cursor goes on where it was, whatever came or went meanwhile", async () => {
    const own = await stage.ownDrive();
    const at = `/v0/files?drive_id=${own.id}`;
    for (const path of ["b", "d", "f"]) await own.client.put(own.id, path, "");
    const first = await own.client.get<Page>(`${at}&limit=2`);
    expect(first.data.map(({ path }) => path)).toEqual(["b", "d"]);
    for (const { id } of first.data) await own.client.delete(`/v0/files/${id}`);
    for (const path of ["a", "e", "g"]) await own.client.put(own.id, path, "");
    expect(await own.client.get(`${at}&cursor=${first.next_cursor}`)).toMatchObject({
      ...shows(["e", "f", "g"]),
      total: 4,
    });
  });

  test("a cursor shows nothing of another drive, and nothing before its prefix", async () => {
    const own = await stage.ownDrive();
    const { next_cursor } = await client.get<Page>(`${base}&limit=1`);
    expect(await own.client.paths(`/v0/files?drive_id=${own.id}&cursor=${next_cursor}`)).toEqual([]);
    const after = (path: string) => client.paths(`${base}&prefix=odd/&cursor=${forged(path)}`);
    expect(await after("a")).toEqual(paths.filter((path) => path.startsWith("odd/")));
    expect(await after("zzz")).toEqual([]);
  });

  test.each(["", "AA", forged("\u{10FFFF}"), forged("../x'--")])(
    "the forged cursor %p is harmless",
    async (cursor) => {
      const answer = await client.send("GET", `${base}&cursor=${cursor}`);
      expect([200, 400]).toContain(answer.status);
    },
  );
});

describe("files past their expiry", () => {
  test("are gone at once for every reader, and the sweep changes no number", async () => {
    const own = await stage.ownDrive();
    const soon = `&expires_at=${stage.coffer.clock.iso(DAY)}`;
    const upload = async (path: string, expiry: string) =>
      (await own.client.put(own.id, path, "12345", 201, `&tags=t${expiry}`)).id;
    const ids = [await upload("a/1", soon), await upload("a/b/2", soon), await upload("ab", soon)];
    await upload("a/3", "");
    await upload("keep", `&expires_at=${stage.coffer.clock.iso(10 * DAY)}`);

    const look = async () => {
      const at = `/v0/files?drive_id=${own.id}`;
      const prefixes = ["", "&prefix=a", "&prefix=a/"];
      const queries = [...prefixes, ...prefixes.map((prefixed) => `&delimiter=/${prefixed}`), "&tags=t"];
      const pages = queries.map(async (query) => {
        const { data, folders, total } = await own.client.get<Page>(at + query);
        return [query, data.map(({ path }) => path), total, folders ?? null];
      });
      type Counted = { data: { file_count: number; total_size: number } };
      const { data } = await own.client.get<Counted>(`/v0/drives/${own.id}`);
      const folder = { drive_id: own.id, path: "a/" };
      const preview = await own.client.delete<{ file_count: number }>("/v0/folders", folder);
      return {
        pages: await Promise.all(pages),
        drive: [data.file_count, data.total_size],
        preview: preview.file_count,
      };
    };

    expect((await look()).drive).toEqual([5, 25]);
    stage.coffer.clock.advance(DAY - 1);
    expect((await look()).drive).toEqual([5, 25]);
    stage.coffer.clock.advance(1);
    const seen = await look();
    expect(seen).toEqual({
      pages: [
        ["", ["a/3", "keep"], 2, null],
        ["&prefix=a", ["a/3"], 1, null],
        ["&prefix=a/", ["a/3"], 1, null],
        ["&delimiter=/", ["keep"], 1, ["a/"]],
        ["&delimiter=/&prefix=a", [], 0, ["a/"]],
        ["&delimiter=/&prefix=a/", ["a/3"], 1, ["a/b/"]],
        ["&tags=t", ["a/3", "keep"], 2, null],
      ],
      drive: [2, 10],
      preview: 1,
    });
    const requests: [method: string, path: string, body?: { destination_path: string }][] = ids.flatMap(
      (id) => [
        ["GET", `/v0/files/${id}`],
        ["GET", `/v0/files/${id}/download`],
        ["PATCH", `/v0/files/${id}`],
        ["POST", `/v0/files/${id}/copy`, { destination_path: "x" }],
        ["POST", `/v0/files/${id}/move`, { destination_path: "x" }],
        ["DELETE", `/v0/files/${id}`],
      ],
    );
    for (const [method, path, body = {}] of requests)
      await own.client.json(404, method, path, method === "GET" ? {} : { body });
    const bulk = await own.client.post<{ failed: string[] }>("/v0/files/bulk-delete", { file_ids: ids }, 200);
    expect(bulk.failed).toEqual(ids);
    await stage.coffer.appliance.services.sweep.run();
    expect(await look()).toEqual(seen);
  });

  test.each([true, false])("their paths are free again, with a sweep in between: %p", async (swept) => {
    const own = await stage.ownDrive();
    const soon = stage.coffer.clock.iso(DAY);
    const at = `/v0/files?drive_id=${own.id}`;
    const made = await own.client.put(own.id, "a", "1", 201, `&expires_at=${soon}`);
    const moving = await own.client.put(own.id, "m", "22");
    await own.client.put(own.id, "d", "1", 201, `&expires_at=${soon}`);
    stage.coffer.clock.advance(DAY);
    if (swept) await stage.coffer.appliance.services.sweep.run();
    const again = await own.client.json<{ id: string }>(201, "PUT", `${at}&path=a/b`, {
      body: "333",
      headers: { "if-none-match": "*" },
    });
    expect(again.id).not.toBe(made.id);
    await own.client.post(`/v0/files/${moving.id}/move`, { destination_path: "d" }, 200);
    const { data, total } = await own.client.get<Page>(at);
    expect([data.map(({ path }) => path), total]).toEqual([["a/b", "d"], 2]);
    const drive = await own.client.get<{ data: object }>(`/v0/drives/${own.id}`);
    expect(drive.data).toMatchObject({ file_count: 2, total_size: 5 });
  });
});

const SORTS = ["path", "-path", "size", "-size", "updated_at", "-updated_at"] as const;
const inFolder = (sort: string, folder = "a/") => `delimiter=/&prefix=${folder}&sort=${sort}`;

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
      ["of no such name", inFolder("name")],
      ["that is empty", inFolder("")],
      ["turned round twice", inFolder("--size")],
      ["in capitals", inFolder("SIZE")],
      ["given twice", `${inFolder("size")}&sort=size`],
    ] as const,
    ([name, query]) => [`one ${name} is refused`, ...given, list(query, {}, invalid("sort"))],
  );

  test("updated_at follows changes", async () => {
    const own = await stage.ownDrive();
    const ids = new Map<string, string>();
    for (const name of ["a", "b", "c"]) {
      ids.set(name, (await own.client.put(own.id, name)).id);
      stage.coffer.clock.advance(1000);
    }
    const sorted = (sort: string) =>
      own.client.paths(`/v0/files?drive_id=${own.id}&delimiter=/&sort=${sort}`);
    expect(await sorted("updated_at")).toEqual(["a", "b", "c"]);
    await own.client.patch(`/v0/files/${ids.get("a") ?? ""}`, { tags: ["x"] });
    expect(await sorted("updated_at")).toEqual(["b", "c", "a"]);
    expect(await sorted("-updated_at")).toEqual(["a", "c", "b"]);
  });
});

describe("going on", () => {
  /** Of 1, 2 and 3 bytes in turn, and all of the same time, so that both orders have equals on every page. */
  async function filled() {
    const own = await stage.ownDrive();
    for (let i = 0; i < 20; i += 1)
      await own.client.put(own.id, `f/${(i * 7) % 20}`, "x".repeat(1 + (i % 3)));
    return { own, at: `/v0/files?drive_id=${own.id}&delimiter=/&prefix=f/` };
  }

  test.each(SORTS)("by cursors and by pages every file comes once, sort %s", async (sort) => {
    const { own, at } = await filled();
    const get = async (query: string) => (await own.client.get<Page>(at + query)).data;
    const whole = await get(`&sort=${sort}`);
    expect(whole.length).toBe(20);
    const pages = await own.client.pages<Page>(`${at}&sort=${sort}&limit=3`);
    expect(pages).toHaveLength(7);
    for (const [index, { data }] of pages.entries()) {
      expect(data).toEqual(whole.slice(index * 3, index * 3 + 3));
      expect(await get(`&sort=${sort}&limit=3&page=${index + 1}`)).toEqual(data);
    }
    const opposite = sort.startsWith("-") ? sort.slice(1) : `-${sort}`;
    expect(await get(`&sort=${opposite}`)).toEqual(whole.toReversed());
  });

  test.each(SORTS)("from a file that is gone by then, sort %s", async (sort) => {
    const { own, at } = await filled();
    const whole = await own.client.get<Page>(`${at}&sort=${sort}`);
    const first = await own.client.get<Page>(`${at}&sort=${sort}&limit=5`);
    await own.client.delete(`/v0/files/${first.data.at(-1)?.id ?? ""}`);
    const url = `${at}&sort=${sort}&cursor=${first.next_cursor ?? ""}`;
    expect((await own.client.get<Page>(url)).data).toEqual(whole.data.slice(5));
  });

  test.each(SORTS)("with another sort than %s is refused", async (sort) => {
    const { own, at } = await filled();
    const { next_cursor: cursor } = await own.client.get<Page>(`${at}&sort=${sort}&limit=3`);
    for (const other of SORTS.filter((each) => each !== sort)) {
      const { text } = await own.client.send("GET", `${at}&sort=${other}&cursor=${cursor ?? ""}`);
      const error = { code: "VALIDATION_ERROR", field: "cursor" };
      expect([other, JSON.parse(text)]).toMatchObject([other, { error }]);
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

  test("no cursor holds a handle of the database's own", async () => {
    const { own, at } = await filled();
    for (const sort of SORTS) {
      const url = `${at}&sort=${sort}&limit=3`;
      const { data, next_cursor: cursor } = await own.client.get<Page>(url);
      const last = data.at(-1);
      const updatedAt = String(Date.parse(last?.updated_at ?? ""));
      const fields = Buffer.from(cursor ?? "", "base64url")
        .toString()
        .split("\n");
      for (const field of fields)
        expect([sort, last?.path, last?.id, String(last?.size), updatedAt]).toContain(field);
    }
  });
});

test("files that expired and await the sweep are in no order", async () => {
  const own = await stage.ownDrive();
  const at = `/v0/files?drive_id=${own.id}`;
  const inAnHour = stage.coffer.clock.iso(60 * 60 * 1000);
  for (const [path, size, query] of [
    ["a", 3, ""],
    ["b", 2, `&expires_at=${inAnHour}`],
    ["c", 1, ""],
  ] as const)
    await own.client.put(own.id, path, "x".repeat(size), 201, query);
  stage.coffer.clock.advance(60 * 60 * 1000);
  for (const sort of SORTS) {
    const { data, total } = await own.client.get<Page>(`${at}&delimiter=/&sort=${sort}`);
    expect([sort, data.map(({ path }) => path).toSorted(), total]).toEqual([sort, ["a", "c"], 2]);
  }
});
