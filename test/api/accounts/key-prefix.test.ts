import { describe, expect, test } from "bun:test";
import { fileCursor, grepCursor, pathCursor } from "../../../src/http/operation/cursor.ts";
import { FILE_URI_TEMPLATE } from "../../../src/http/mcp/shown.ts";
import { type DriveId, parseId } from "../../../src/domain/id.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { archived } from "../../support/samples/archives.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { connectMcp } from "../../support/peers/mcp.ts";
import { startWorld } from "../../support/server/world.ts";
import { openStageNow } from "../../support/server/scenario.ts";
import { takeSnapshot } from "../../support/server/targets.ts";

// What such a key may ask of each route is in the matrix: see authorisation.test.ts. Here it attacks.

const CAFE = "caf\u00e9/";
const ALIKE = ["note/c.txt", "notes-secret/b.txt", "Notes/d.txt", "notes.txt"];
const OUTSIDE = ["root.txt", ...ALIKE, "cafe/e.txt", "a/beside.txt", "z/last.txt"];
const INSIDE = ["notes/hello.txt", "notes/sub/deep.txt"];

const stage = await openStageNow();
const drive = stage.world.drives.ada;
/** With a key of `notes/`, and with one of all that is Ada's. */
const { adaPrefix: inside, ada: owner } = stage.world.clients;
/** The ids of the files, by their paths. */
const ids = new Map<string, string>();
for (const path of [...OUTSIDE, "notes/sub/deep.txt", `${CAFE}x.txt`, "a/b/c/x.txt"])
  ids.set(path, (await owner.put(drive, path, "Hello outside")).id);
const snapshot = await takeSnapshot(owner, drive);

/** An address about Ada's drive. */
function at(path: string, query: Record<string, string> = {}): string {
  return `${path}?${new URLSearchParams({ drive_id: drive, ...query }).toString()}`;
}

interface Listed {
  data: { path: string; file_count: number; total_size: number }[];
  folders?: string[];
  total: number;
}

async function list(query: Record<string, string>, by = inside): Promise<Listed> {
  return by.get<Listed>(at("/v0/files", query));
}

function pathsOf({ data }: { data: readonly { path: string }[] }): string[] {
  return data.map(({ path }) => path);
}

/** A client with a new key. */
async function keyOf(body: { [name: string]: Json }, by = owner): Promise<Client> {
  const { key } = await by.makeKey(body);
  return stage.coffer.client(key);
}

function grep(query: string): Promise<string[]> {
  return inside.paths(`/v0/grep?pattern=Hello&${query}`);
}

function idOf(path: string): string {
  return ids.get(path) ?? "";
}

function expectForbidden(answer: Answer): void {
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('limited to \\"notes/\\"')]);
}

/** Puts a file into Ada's drive; its id. */
function put(path: string, body: string, by = owner): Promise<string> {
  return by.store(drive, path, body);
}

function move(id: string, to: string): Promise<unknown> {
  return owner.post(`/v0/files/${id}/move`, { destination_path: to }, 200);
}

/** The numbers of the versions that somebody sees of a file. */
async function numbers(id: string, by: Client): Promise<{ seen: number[]; total: number }> {
  const { data, total } = await by.get<{ data: { version: number }[]; total: number }>(
    `/v0/files/${id}/versions`,
  );
  return { seen: data.map(({ version }) => version), total };
}

describe("a key that is limited to a folder is made", () => {
  test("of a folder of one drive, and shows it", async () => {
    const body = { drive_id: "ada/notes", path_prefix: "/cafe\u0301/", expires_at: "2099-01-01T00:00:00Z" };
    const shown = { drive_id: drive, path_prefix: CAFE, expires_at: "2099-01-01T00:00:00.000Z" };
    expect(await owner.makeKey<unknown>(body)).toMatchObject(shown);
    // One that is named without its slash is no start of other names.
    const plain = { drive_id: "ada/notes", path_prefix: "notes" };
    expect(await owner.makeKey<unknown>(plain)).toMatchObject({ path_prefix: "notes/" });
    const wrong = ["/", "", "notes/../", 1].map((path_prefix) => ({ ...plain, path_prefix }));
    for (const each of [{ path_prefix: "notes/" }, ...wrong])
      expectRefused(await owner.send("POST", "/v0/keys", { body: each }), "VALIDATION_ERROR");
    // Those who share a drive make none for it.
    expectRefused(await stage.world.clients.dan.send("POST", "/v0/keys", { body: plain }), "FORBIDDEN");
  });

  test("by another such key only within its own folder, which sees and revokes no others", async () => {
    for (const path_prefix of ["note/", "notes-secret/", "n/", "Notes/", "other/"])
      expectForbidden(await inside.send("POST", "/v0/keys", { body: { path_prefix } }));
    expect(await inside.makeKey<unknown>()).toMatchObject({ path_prefix: "notes/" });
    const deeper = await keyOf({ path_prefix: "notes/sub/" }, inside);
    expect(pathsOf(await list({}, deeper))).toEqual(["notes/sub/deep.txt"]);
    const all = await owner.get<{ id: string; path_prefix: string | null }[]>("/v0/keys");
    const seen = await inside.get<{ id: string; path_prefix: string }[]>("/v0/keys");
    expect(seen.filter(({ path_prefix }) => !path_prefix.startsWith("notes/"))).toEqual([]);
    for (const { id } of all.filter(({ path_prefix }) => path_prefix?.startsWith("notes/") !== true))
      expect(await inside.status("DELETE", `/v0/keys/${id}`)).toBe(404);
  });
});

describe("it lists", () => {
  test.each(["", "n", "note", "notes", "notes/", "/", "/notes/"])("what is inside for %j", async (prefix) => {
    const found = await list({ prefix });
    expect([pathsOf(found), found.total]).toEqual([INSIDE, INSIDE.length]);
  });

  const beside = ["notes-", "note/", "notes-secret/", "Notes/", "NOTES/", "notes."];
  const nothing = [...beside, "../", "a", "notes/../", "."];
  test.each(nothing)("nothing for %j", async (prefix) => {
    expect(await list({ prefix })).toMatchObject({ data: [], total: 0 });
    expect(await list({ prefix, delimiter: "/" })).toMatchObject({ data: [], folders: [], total: 0 });
  });

  test("only what is inside with a tag, in any order", async () => {
    const tagged = { body: { tags: ["marked"] } };
    for (const path of ["root.txt", "notes-secret/b.txt", "notes/sub/deep.txt"])
      await owner.json(200, "PATCH", `/v0/files/${idOf(path)}`, tagged);
    for (const query of [{ tags: "marked" }, { tags: "marked", prefix: "n" }])
      expect(await list(query)).toMatchObject({ data: [{ path: "notes/sub/deep.txt" }], total: 1 });
    const found = await inside.get<Listed>("/v0/search?tags=marked");
    expect(found).toMatchObject({ data: [{ path: "notes/sub/deep.txt" }], total: 1 });
    for (const sort of ["-path", "size", "-updated_at"])
      expect((await list({ sort, delimiter: "/" })).data).toEqual([]);
  });

  test("the way to its folder, and nothing beside it", async () => {
    const deep = await keyOf({ drive_id: drive, path_prefix: "a/b/c/" });
    const levels: [prefix: string, folders: string[]][] = [
      ["", ["a/"]],
      ["a", ["a/"]],
      ["a/", ["a/b/"]],
      ["a/b/", ["a/b/c/"]],
      ["a/b/c", ["a/b/c/"]],
    ];
    for (const [prefix, folders] of levels) {
      const level = await list({ prefix, delimiter: "/" }, deep);
      expect([prefix, level.data, level.folders, level.total]).toEqual([prefix, [], folders, 0]);
      expect((await list({ prefix, delimiter: "/", page: "2" }, deep)).folders).toEqual([]);
    }
    expect(pathsOf(await list({ prefix: "a/b/c/", delimiter: "/" }, deep))).toEqual(["a/b/c/x.txt"]);
    for (const path of ["", "a/", "a/b/"]) {
      const { data, total } = await deep.get<Listed>(at("/v0/folders", { path }));
      expect([total, data]).toMatchObject([1, [{ file_count: 1, total_size: 13 }]]);
    }
    for (const path of ["z/", "notes/", "a/x/"])
      expect(await deep.status("GET", at("/v0/folders", { path }))).toBe(404);
  });

  test("nothing with a cursor that leads outside", async () => {
    const cursors = ["", "a/", "note/c.txt", "notes-", "root.txt"].map((path) =>
      fileCursor("path").write({ file: { sort: "path", path }, folder: null }),
    );
    for (const cursor of cursors)
      for (const path of pathsOf(await list({ cursor }))) expect(path).toStartWith("notes/");
    expect(pathsOf(await list({ cursor: cursors[0] ?? "" }))).toEqual(INSIDE);
    for (const path of ["a/", "z/"]) {
      const folders = await inside.get<Listed>(at("/v0/folders", { cursor: pathCursor.write(path) }));
      expect(folders.data).toEqual([]);
    }
    const id = parseId<DriveId>(drive);
    if (id === null) throw new Error("no drive");
    for (const path of ["", "a/", "notes-secret/"]) {
      const cursor = grepCursor.write({ drive: id, path, inside: null });
      for (const found of await grep(`cursor=${cursor}`)) expect(found).toStartWith("notes/");
    }
  });

  test("paths as they are normalised", async () => {
    const cafe = await keyOf({ drive_id: drive, path_prefix: "cafe\u0301/" });
    expect(pathsOf(await list({}, cafe))).toEqual([`${CAFE}x.txt`]);
    for (const path of ["caf\u00e9/x.txt", "cafe\u0301/x.txt"])
      expect(await cafe.status("GET", at("/v0/files/by-path", { path }))).toBe(200);
    expect(await cafe.status("GET", at("/v0/files/by-path", { path: "cafe/e.txt" }))).toBe(404);
  });

  test("in a snapshot as in the drive", async () => {
    expect(pathsOf(await list({ snapshot_id: snapshot }))).toEqual(INSIDE);
    expect((await list({ snapshot_id: snapshot, delimiter: "/" })).folders).toEqual(["notes/"]);
    expect(await list({ snapshot_id: snapshot, prefix: "notes-secret/" })).toMatchObject({ data: [] });
    for (const path of OUTSIDE) {
      const past = at("/v0/files/by-path", { path, snapshot_id: snapshot });
      expect(await inside.status("GET", past)).toBe(404);
      const byId = `/v0/files/${idOf(path)}?snapshot_id=${snapshot}`;
      expect(await inside.status("GET", byId)).toBe(404);
    }
    const deep = await keyOf({ drive_id: drive, path_prefix: "a/b/c/" });
    for (const path of ["", "a/", "a/b/", "a/b/c/"]) {
      const now = await deep.get<Listed>(at("/v0/folders", { path }));
      const past = at("/v0/folders", { path, snapshot_id: snapshot });
      expect(await deep.get<Listed>(past)).toEqual(now);
    }
    for (const path of ["z/", "notes/", "a/x/"])
      expect(await deep.status("GET", at("/v0/folders", { path, snapshot_id: snapshot }))).toBe(404);
  });
});

describe("it finds and reads", () => {
  test("only what is inside by a search, of words or of lines, and as an archive", async () => {
    for (const query of ["q=hello", "q=outside", "q=txt", "min_size=0", "q=hello&prefix=n"]) {
      const { data, total } = await inside.get<Listed>(`/v0/search?${query}`);
      for (const { path } of data) expect(path).toStartWith("notes/");
      expect(total).toBe(data.length);
    }
    for (const prefix of ["note/", "notes-secret/", "a/"]) {
      const found = await inside.get<Listed>(`/v0/search?q=hello&prefix=${prefix}`);
      expect(found).toMatchObject({ data: [], total: 0 });
    }
    for (const query of ["", "prefix=n"]) expect(await grep(query)).toEqual(INSIDE);
    expect(await grep("prefix=notes-secret/")).toEqual([]);
    const names = Object.keys(await archived(inside, drive)).filter((name) => !name.endsWith("/"));
    expect(names.toSorted()).toEqual(INSIDE);
    for (const path of [...OUTSIDE, "notes-secret/", "a/", "/"])
      expect(await inside.status("GET", at("/v0/archive", { path }))).toBe(404);
  });

  test("no file outside, by its id or its path", async () => {
    for (const path of OUTSIDE) {
      for (const what of ["", "/download", "/text", "/extract"]) {
        expect(await inside.status("GET", `/v0/files/${idOf(path)}${what}`)).toBe(404);
        expect(await inside.status("GET", at(`/v0/files/by-path${what}`, { path }))).toBe(404);
      }
    }
    const out = { path: "notes/../root.txt" };
    expect(await inside.status("GET", at("/v0/files/by-path", out))).toBe(400);
  });

  test("the figures of its folder alone, now and in a snapshot", async () => {
    const usage = await inside.get<object>("/v0/account/usage");
    expect(usage).toMatchObject({ data: { storage: { used: 25 } } });
    const figures = { file_count: 2, total_size: 25 };
    const now = await inside.get<object>(`/v0/drives/${drive}`);
    expect(now).toMatchObject({ data: { ...figures, role: "editor" } });
    const taken = `/v0/drives/${drive}/snapshots/${snapshot}`;
    expect(await inside.get<object>(taken)).toMatchObject({ data: figures });
    const beside = await stage.world.clients.adaBeside.get<object>(taken);
    expect(beside).toMatchObject({ data: { file_count: 1, total_size: 13 } });
  });
});

describe("it writes", () => {
  const paths = ["x.txt", "notes", "note/x", "notes-secret/b.txt", "Notes/x", "notes./x", "/root.txt"];

  test.each(paths)("not to %j", async (path) => {
    const filename = path.slice(path.lastIndexOf("/") + 1);
    const body = { drive_id: drive, path, filename, content: "" };
    expectForbidden(await inside.send("POST", "/v0/files", { body }));
    expectForbidden(await inside.send("PUT", at("/v0/files", { path }), { body: "x" }));
    expectForbidden(await inside.send("POST", "/v0/upload-links", { body: { drive_id: drive, path } }));
    expectForbidden(await inside.send("POST", "/v0/links", { body: { drive_id: drive, path } }));
    const folder = { drive_id: drive, path: `${path}/` };
    if (path !== "notes") expectForbidden(await inside.send("POST", "/v0/folders", { body: folder }));
    const to = { destination_path: path, overwrite: true };
    for (const how of ["copy", "move"]) {
      expectForbidden(await inside.send("POST", `/v0/files/${stage.world.files.ada}/${how}`, { body: to }));
      const transfer = { drive_id: drive, path: "notes/sub/", destination_path: `${path}/sub/` };
      if (path !== "notes")
        expectForbidden(await inside.send("POST", `/v0/folders/${how}`, { body: transfer }));
    }
    expectForbidden(await inside.send("PATCH", `/v0/files/${stage.world.files.ada}`, { body: { path } }));
  });

  test("not by taking from outside", async () => {
    for (const path of OUTSIDE) {
      const to = { destination_path: "notes/got", destination_drive_id: drive };
      for (const how of ["copy", "move"])
        expect(await inside.status("POST", `/v0/files/${idOf(path)}/${how}`, { body: to })).toBe(404);
      expect(await inside.status("DELETE", `/v0/files/${idOf(path)}`)).toBe(404);
      expectForbidden(await inside.send("DELETE", at("/v0/files/by-path", { path })));
    }
    const folder = { drive_id: drive, path: "notes-secret/", destination_path: "notes/got/" };
    expect(await inside.status("POST", "/v0/folders/copy", { body: folder })).toBe(404);
    expectForbidden(await inside.send("POST", "/v0/folders/move", { body: folder }));
    const removal = { drive_id: drive, path: folder.path, confirm: true };
    expectForbidden(await inside.send("DELETE", "/v0/folders", { body: removal }));
    const file_ids = OUTSIDE.map(idOf);
    const removed = await inside.post<unknown>("/v0/files/bulk-delete", { file_ids }, 200);
    expect(removed).toMatchObject({ deleted: [], failed: file_ids });
    const all = await list({}, owner);
    expect(all.total).toBe(OUTSIDE.length + INSIDE.length + 2);
  });

  test("and a link that it made ends where its folder does", async () => {
    const { ada, nobody } = stage.world.clients;
    const { id } = await inside.put(drive, "notes/moves");
    const { url } = await inside.post<{ url: string }>(`/v0/files/${id}/presigned-url`, {}, 200);
    const open = () => nobody.send("GET", new URL(url).pathname);
    expect((await open()).status).toBe(200);
    await move(id, "elsewhere");
    expect((await open()).status).toBe(404);
    type Links = { data: { id: string; path: string | null }[] };
    const [link] = (await ada.get<Links>(at("/v0/links"))).data;
    expect(link?.path).toBe("elsewhere");
    const seen = (await inside.get<Links>(at("/v0/links"))).data;
    expect(seen).toContainEqual({ ...link, id: link?.id ?? "", path: null });
    expect(await inside.status("GET", `/v0/files/${id}`)).toBe(404);
    await ada.delete(`/v0/files/${id}`);
    expect(await inside.paths("/v0/trash")).not.toContain("elsewhere");
  });
});

describe("of a file that was elsewhere", () => {
  const vault = { path: "vault/", destination_path: "notes/vault/" };
  const ways: [way: string, bring: (id: string) => Promise<unknown>][] = [
    ["by itself", (id) => move(id, "notes/moved.txt")],
    ["with its folder", () => owner.post("/v0/folders/move", { drive_id: drive, ...vault }, 200)],
    [
      "through the trash",
      async (id) => {
        const { trash_id } = await owner.delete<{ trash_id: string }>(`/v0/files/${id}`);
        return owner.post(`/v0/trash/${trash_id}/restore`, { path: "notes/restored.txt" }, 200);
      },
    ],
  ];

  test.each(ways)("that came in %s, it sees what was made inside alone", async (_, bring) => {
    const id = await put("vault/plan.txt", "secret\n");
    await put("vault/plan.txt", "told\n");
    await bring(id);
    expect(await numbers(id, owner)).toEqual({ seen: [1], total: 1 });
    expect(await numbers(id, inside)).toEqual({ seen: [], total: 0 });
    const { path } = await inside.get<{ path: string }>(`/v0/files/${id}`);
    // Nothing tells a version that was made elsewhere from one that there never was.
    const addresses = (n: number) => [
      `/v0/files/${id}/versions/${n}/download`,
      at(`/v0/files/by-path/versions/${n}/download`, { path }),
      `/v0/files/${id}/diff?from=${n}`,
      `/v0/files/${id}/diff?to=${n}`,
      `/v0/files/${id}/diff?from=2&to=${n}`,
    ];
    const never = addresses(99);
    const headers = { "x-request-id": "same" };
    for (const [index, address] of addresses(1).entries()) {
      const one = await inside.send("GET", address, { headers });
      const other = await inside.send("GET", never[index] ?? "", { headers });
      expect([address, one.status, one.text]).toEqual([address, 404, other.text]);
    }
    expect(await inside.status("GET", `/v0/files/${id}/diff`)).toBe(404);
    expect(await inside.status("POST", `/v0/files/${id}/versions/1/restore`)).toBe(404);
    expect(await inside.status("DELETE", `/v0/files/${id}/versions/1`)).toBe(403);

    // What it replaces itself, it can bring back.
    await put(path, "mine\n", inside);
    await put(path, "mine again\n", inside);
    expect(await numbers(id, inside)).toEqual({ seen: [3, 2], total: 2 });
    const pages = await inside.pages(`/v0/files/${id}/versions?limit=1`);
    expect(pages).toMatchObject([{ total: 2 }, { total: 2 }]);
    expect(await numbers(id, owner)).toEqual({ seen: [3, 2, 1], total: 3 });
    const told = await inside.send("GET", `/v0/files/${id}/versions/2/download`);
    expect([told.status, told.text]).toEqual([200, "told\n"]);
    await using mcp = await connectMcp(stage.coffer.appliance.url, stage.world.keys.adaPrefix);
    await mcp.get("undo", { path });
    expect((await inside.send("GET", `/v0/files/${id}/download`)).text).toBe("mine\n");
    await owner.delete(`/v0/files/${id}`);
  });

  test("that a snapshot brought back from the trash, it sees what was in the trash if that was inside", async () => {
    await using other = await startWorld();
    const [{ ada, adaPrefix }, id] = [other.clients, other.drives.ada];
    const paths = ["vault/x.txt", "notes/y.txt"];
    for (const path of paths) await ada.put(id, path, "then");
    const taken = await takeSnapshot(ada, id);
    const files: string[] = [];
    for (const path of paths) {
      files.push(await ada.store(id, path, "later"));
      await ada.delete(`/v0/files/${files.at(-1)}`);
    }
    await ada.post(`/v0/drives/${id}/snapshots/${taken}/restore`, {}, 200);
    await ada.post(`/v0/files/${files[0]}/move`, { destination_path: "notes/x.txt" }, 200);
    const seen = await Promise.all(files.map((file) => numbers(file, adaPrefix)));
    expect(seen.map(({ total }) => total)).toEqual([0, 2]);
    expect((await numbers(files[0] ?? "", ada)).total).toBe(2);
  });

  test("that went out and came back, it sees nothing from between", async () => {
    const id = await put("notes/round.txt", "one");
    await put("notes/round.txt", "two");
    await move(id, "vault/round.txt");
    await put("vault/round.txt", "three");
    await move(id, "notes/round.txt");
    expect(await numbers(id, owner)).toEqual({ seen: [2, 1], total: 2 });
    expect(await numbers(id, inside)).toEqual({ seen: [1], total: 1 });
    const deeper = await keyOf({ drive_id: drive, path_prefix: "notes/sub/" });
    await move(id, "notes/sub/round.txt");
    expect(await numbers(id, deeper)).toEqual({ seen: [], total: 0 });
    await owner.delete(`/v0/files/${id}`);
  });
});

test("it restores nothing of a snapshot over a file beside its folder", async () => {
  await using other = await startWorld();
  const [{ ada, adaPrefix }, id] = [other.clients, other.drives.ada];
  const taken = await takeSnapshot(ada, id);
  await ada.delete("/v0/folders", { drive_id: id, path: "notes/", confirm: true });
  await ada.put(id, "notes", "beside");
  const restore = `/v0/drives/${id}/snapshots/${taken}/restore`;
  expectForbidden(await adaPrefix.send("POST", restore, { body: {} }));
  expectForbidden(await adaPrefix.send("POST", restore, { body: { path: "notes/" } }));
  const there = await ada.send("GET", `/v0/files/by-path/download?drive_id=${id}&path=notes`);
  expect(there.text).toBe("beside");
  await ada.delete(`/v0/files/by-path?drive_id=${id}&path=notes`);
  const back = await adaPrefix.send("POST", restore, { body: { path: "notes/" } });
  expect([back.status, JSON.parse(back.text)]).toMatchObject([200, { data: { files_restored: 1 } }]);
});

test("tools see and change what is inside alone", async () => {
  await using mcp = await connectMcp(stage.coffer.appliance.url, stage.world.keys.adaPrefix);
  const seen = async (name: string, args: Record<string, unknown>) =>
    JSON.stringify(await mcp.call(name, args));
  const lists = [await seen("list_files", {}), await seen("list_files", { path: "" })];
  const finds = [await seen("search", { query: "hello" }), await seen("grep", { pattern: "Hello" })];
  for (const text of [...lists, ...finds, JSON.stringify(await mcp.client.listResources())]) {
    expect(text).toContain("notes/");
    for (const path of OUTSIDE) expect(text).not.toContain(path);
  }
  expect(await mcp.refused("read_file", { path: "root.txt" })).toStartWith("NOT_FOUND");
  expect(await mcp.refused("write_file", { path: "root.txt", text: "x" })).toStartWith("FORBIDDEN");
  expect(await mcp.refused("delete", { paths: ["root.txt"] })).toBeString();
  const out = { path: "notes/hello.txt", destination_path: "out" };
  expect(await mcp.refused("move", out)).toStartWith("FORBIDDEN");
  const ref = { type: "ref/resource", uri: FILE_URI_TEMPLATE } as const;
  for (const value of ["", "a", "note", "notes-", "z"]) {
    const argument = { name: "path", value };
    const context = { arguments: { drive } };
    const { completion } = await mcp.client.complete({ ref, argument, context });
    for (const path of completion.values) expect(path).toStartWith("notes/");
  }
});
