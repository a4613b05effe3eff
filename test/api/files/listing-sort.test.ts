import { describe, expect, test } from "bun:test";
import {
  invalid,
  openStage,
  put,
  runEach,
  runScenarios,
  type Step,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const SORTS = ["path", "-path", "size", "-size", "updated_at", "-updated_at"] as const;

interface Listed {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly updated_at: string;
}

interface FilePage {
  readonly data: readonly Listed[];
  readonly total: number;
  readonly next_cursor: string | null;
}

function list(query: string, json: object): Step {
  return step(`GET /v0/files?drive_id={drive}&${query}`, { json });
}

function refuses(query: string, field: string): Step {
  return { ...list(query, {}), ...invalid(field) };
}

const inFolder = (sort: string, prefix = "a/") => `delimiter=/&prefix=${prefix}&sort=${sort}`;
const paths = (...names: string[]) => ({ data: names.map((path) => ({ path })), total: names.length });

const made = (...fields: string[]) => Buffer.from(fields.join("\n")).toString("base64url");

describe("orders", () => {
  const given = [
    put("a/two", "xx"),
    put("a/ten", "x".repeat(10)),
    put("a/one", "x"),
    put("a/b/none", ""),
    put("c", "xxx"),
  ];
  runScenarios(stage, {
    path: [...given, list(inFolder("path"), paths("a/one", "a/ten", "a/two"))],
    "-path": [...given, list(inFolder("-path"), paths("a/two", "a/ten", "a/one"))],
    "size, as a number": [...given, list(inFolder("size"), paths("a/one", "a/two", "a/ten"))],
    "-size": [...given, list(inFolder("-size"), paths("a/ten", "a/two", "a/one"))],
    "the root": [...given, list(inFolder("-size", ""), { ...paths("c"), folders: ["a/"] })],
    "the root by a slash": [...given, list(inFolder("-size", "/"), paths("c"))],
    "a folder that is not there": [...given, list(inFolder("size", "b/"), paths())],
    "folders are named in path order whatever the sort": [
      put("a/x"),
      put("b/x"),
      list(inFolder("-path", ""), { folders: ["a/", "b/"] }),
    ],
    "path, anywhere": [...given, list("sort=path&prefix=a/t", paths("a/ten", "a/two"))],
    "with empty tags": [...given, list(`${inFolder("size")}&tags=,`, { total: 3 })],
    "by pages": [
      ...given,
      list(`${inFolder("-size")}&limit=1&page=2`, { data: [{ path: "a/two" }], total: 3, page: 2 }),
    ],
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
    ([name, query]) => [`one ${name} is refused`, ...given, refuses(query, "sort")],
  );

  test("updated_at follows changes", async () => {
    const own = await stage.ownDrive();
    const ids = new Map<string, string>();
    for (const name of ["a", "b", "c"]) {
      ids.set(name, (await own.client.put(own.id, name)).id);
      stage.coffer.clock.advance(1000);
    }
    const shown = async (sort: string) => {
      const url = `/v0/files?drive_id=${own.id}&delimiter=/&sort=${sort}`;
      return (await own.client.get<FilePage>(url)).data.map(({ path }) => path);
    };
    expect(await shown("updated_at")).toEqual(["a", "b", "c"]);
    await own.client.patch(`/v0/files/${ids.get("a") ?? ""}`, { tags: ["x"] });
    expect(await shown("updated_at")).toEqual(["b", "c", "a"]);
    expect(await shown("-updated_at")).toEqual(["a", "c", "b"]);
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
    const whole = await own.client.get<FilePage>(`${at}&sort=${sort}`);
    expect(whole.data.length).toBe(20);
    const byCursor: Listed[] = [];
    const byPage: Listed[] = [];
    let cursor = "";
    for (let page = 1; page <= 7; page += 1) {
      const url = `${at}&sort=${sort}&limit=3`;
      const next = await own.client.get<FilePage>(url + cursor);
      byCursor.push(...next.data);
      byPage.push(...(await own.client.get<FilePage>(`${url}&page=${page}`)).data);
      expect(next.next_cursor === null).toBe(page === 7);
      cursor = `&cursor=${next.next_cursor ?? ""}`;
    }
    expect(byCursor).toEqual([...whole.data]);
    expect(byPage).toEqual([...whole.data]);
    const opposite = sort.startsWith("-") ? sort.slice(1) : `-${sort}`;
    const back = await own.client.get<FilePage>(`${at}&sort=${opposite}`);
    expect([...back.data]).toEqual(whole.data.toReversed());
  });

  test.each(SORTS)("from a file that is gone by then, sort %s", async (sort) => {
    const { own, at } = await filled();
    const whole = await own.client.get<FilePage>(`${at}&sort=${sort}`);
    const first = await own.client.get<FilePage>(`${at}&sort=${sort}&limit=5`);
    await own.client.delete(`/v0/files/${first.data.at(-1)?.id ?? ""}`);
    const url = `${at}&sort=${sort}&cursor=${first.next_cursor ?? ""}`;
    expect((await own.client.get<FilePage>(url)).data).toEqual(whole.data.slice(5));
  });

  test.each(SORTS)("with another sort than %s is refused", async (sort) => {
    const { own, at } = await filled();
    const { next_cursor: cursor } = await own.client.get<FilePage>(`${at}&sort=${sort}&limit=3`);
    for (const other of SORTS.filter((each) => each !== sort)) {
      const { text } = await own.client.send("GET", `${at}&sort=${other}&cursor=${cursor ?? ""}`);
      const error = { code: "VALIDATION_ERROR", field: "cursor" };
      expect([other, JSON.parse(text)]).toMatchObject([other, { error }]);
    }
  });

  runEach(
    stage,
    [
      ["no number", "size", made("size", "x", "y")],
      ["no id", "size", made("size", "1")],
      ["an empty id", "size", made("size", "1", "")],
      ["a negative number", "size", made("size", "-1", "y")],
      ["a number past all", "size", made("size", "9".repeat(16), "y")],
      ["nothing", "size", ""],
      ["a line break", "path", made("a", "b")],
      ["padding", "-path", `${made("-path", "a")}=`],
    ],
    ([name = "", sort = "", cursor = ""]) => [
      `a cursor with ${name} is refused`,
      refuses(`${inFolder(sort)}&cursor=${cursor}`, "cursor"),
    ],
  );

  test("no cursor holds a handle of the database's own", async () => {
    const { own, at } = await filled();
    for (const sort of SORTS) {
      const url = `${at}&sort=${sort}&limit=3`;
      const { data, next_cursor: cursor } = await own.client.get<FilePage>(url);
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
  const inAnHour = new Date(stage.coffer.clock.now() + 60 * 60 * 1000).toISOString();
  for (const [path, size, query] of [
    ["a", 3, ""],
    ["b", 2, `&expires_at=${inAnHour}`],
    ["c", 1, ""],
  ] as const)
    await own.client.put(own.id, path, "x".repeat(size), 201, query);
  stage.coffer.clock.advance(60 * 60 * 1000);
  for (const sort of SORTS) {
    const { data, total } = await own.client.get<FilePage>(`${at}&delimiter=/&sort=${sort}`);
    expect([sort, data.map(({ path }) => path).toSorted(), total]).toEqual([sort, ["a", "c"], 2]);
  }
});
