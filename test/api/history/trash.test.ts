import { describe, expect, test } from "bun:test";
import type { TrashPage, TrashRecord } from "../../../src/http/records/history-schemas.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { openStage, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { type Expected, gives, refused, refuses, type Step, step } from "../../support/server/steps.ts";
import { holds, put } from "../../support/server/uploads.ts";

const stage = openStage();
const DAY = 24 * 60 * 60 * 1000;

function upload(client: Client, drive: string, path: string, query = ""): Promise<{ id: string }> {
  return client.put(drive, path, `content of ${path}`, 201, query);
}

async function removeFolder(client: Client, drive: string, path: string): Promise<string> {
  const body = { drive_id: drive, path, confirm: true };
  return (await client.delete<{ trash_id: string }>("/v0/folders", body)).trash_id;
}

/** All entries of a drive, newest first. */
async function trashOf(client: Client, drive: string): Promise<readonly TrashRecord[]> {
  const url = `/v0/trash?drive_id=${drive}`;
  const { data, next_cursor } = await client.get<{ data: TrashRecord[]; next_cursor: null }>(url);
  expect(next_cursor).toBeNull();
  return data;
}

/** Everything in a drive: files without the time of their drive, and folders. */
async function treeOf(client: Client, drive: string): Promise<unknown> {
  const files = await client.get<{ data: unknown[] }>(`/v0/files?drive_id=${drive}&limit=1000`);
  const folders: unknown[] = [];
  const visit = async (path: string): Promise<void> => {
    const url = `/v0/folders?drive_id=${drive}&path=${encodeURIComponent(path)}&limit=1000`;
    const { data } = await client.get<{ data: { path: string }[] }>(url);
    folders.push(...data);
    for (const each of data) await visit(each.path);
  };
  await visit("");
  return { files: files.data, folders };
}

describe("a deleted folder", () => {
  test("comes back as it was: ids, times, tags, metadata, expiry and empty folders", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const expiry = stage.coffer.clock.iso(DAY);
    await upload(client, drive, "a/b/one.txt", `&tags=red,big&expires_at=${expiry}`);
    const { id } = await upload(client, drive, "a/two.txt");
    await client.patch(`/v0/files/${id}`, { metadata: { by: "me" }, filename: "2.txt" });
    await client.post("/v0/folders", { drive_id: drive, path: "a/empty/deep/" });
    await upload(client, drive, "other.txt");
    const before = await treeOf(client, drive);
    stage.coffer.clock.advance(1000);

    const entry = await removeFolder(client, drive, "a/");
    const shown = await client.get<TrashRecord>(`/v0/trash/${entry}`);
    expect(shown).toMatchObject({
      id: entry,
      kind: "folder",
      drive_id: drive,
      path: "a/",
      file_count: 2,
      size: "content of a/b/one.txtcontent of a/two.txt".length,
      deleted_by: { type: "key", name: expect.any(String) },
    });
    expect(await trashOf(client, drive)).toEqual([shown]);
    expect(JSON.stringify(await treeOf(client, drive))).not.toContain("one.txt");

    stage.coffer.clock.advance(1000);
    const restored = await client.json(200, "POST", `/v0/trash/${entry}/restore`);
    expect(restored).toMatchObject({ id: entry, path: "a/", file_count: 2, restored: true, file_id: null });
    expect(await treeOf(client, drive)).toEqual(before);
    await client.json(404, "POST", `/v0/trash/${entry}/restore`);
    expect(await trashOf(client, drive)).toEqual([]);
  });

  test("is kept for the days of the setting, and no expired file is in it", async () => {
    const { ada: client } = stage.world.clients;
    const { id: drive } = await client.makeDrive("Kept");
    const expiry = stage.coffer.clock.iso(DAY);
    await upload(client, drive, "a/short.txt", `&expires_at=${expiry}`);
    await upload(client, drive, "a/long.txt");
    const { id } = await upload(client, drive, "single.txt", `&expires_at=${expiry}`);
    const entry = await removeFolder(client, drive, "a/");
    const single = await client.delete<{ trash_id: string }>(`/v0/files/${id}`);
    const shown = await client.get<TrashRecord>(`/v0/trash/${single.trash_id}`);
    expect(shown.expires_at).toBe(expiry);
    const ends = (await trashOf(client, drive)).map((each) => each.expires_at);
    expect(ends).toEqual([expiry, stage.coffer.clock.iso(30 * DAY)]);
    stage.coffer.clock.advance(DAY);
    for (const swept of [false, true]) {
      if (swept) await stage.coffer.appliance.services.sweep.run();
      expect(await trashOf(client, drive)).toMatchObject([{ path: "a/", file_count: 1 }]);
      await client.json(404, "GET", `/v0/trash/${single.trash_id}`);
      await client.json(404, "POST", `/v0/trash/${single.trash_id}/restore`);
    }
    stage.coffer.clock.advance(29 * DAY);
    await client.json(404, "GET", `/v0/trash/${entry}`);
    await client.json(404, "POST", `/v0/trash/${entry}/restore`);
    await stage.coffer.appliance.services.sweep.run();
    expect(await trashOf(client, drive)).toEqual([]);
  });
});

test("pages go from the newest to the oldest, over all drives or one, and a prefix chooses", async () => {
  const { ada } = stage.world.clients;
  const drives = [(await ada.makeDrive("First")).id, (await ada.makeDrive("Second")).id];
  const expected: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const path = `${n % 3 === 0 ? "x" : "y"}/${n}.txt`;
    const { id } = await upload(ada, drives[n % 2] ?? "", path);
    if (n % 4 !== 3) stage.coffer.clock.advance(1);
    await ada.delete(`/v0/files/${id}`);
    expected.unshift(path);
  }
  const walk = async (query: string): Promise<string[]> => {
    const pages = await ada.pages<TrashPage>(`/v0/trash?limit=2${query}`);
    return pages.flatMap(({ data }) => data.map(({ path }) => path));
  };
  const all = await walk("");
  expect(all.slice(0, 12).toSorted()).toEqual(expected.toSorted());
  expect(all.slice(0, 3)).toEqual(expected.slice(0, 3));
  expect(await walk(`&drive_id=${drives[1] ?? ""}`)).toEqual(
    expected.filter((path) => Number(/\d+/.exec(path)) % 2 === 1),
  );
  expect(await walk(`&drive_id=${drives[0] ?? ""}&prefix=x/`)).toEqual(["x/6.txt", "x/0.txt"]);
});

/** Deletes the file at a path; `{gone.trash_id}` is its entry then. */
function removing(path: string): Step {
  return gives(
    `DELETE /v0/files/by-path?drive_id={drive}&path=${encodeURIComponent(path)}`,
    { deleted: true },
    { keeps: "gone" },
  );
}

/** Deletes a folder; `{gone.trash_id}` is its entry then. */
function removingFolder(path: string): Step {
  return step("DELETE /v0/folders", {
    body: { drive_id: "{drive}", path, confirm: true },
    json: { success: true },
    keeps: "gone",
  });
}

function restoring(body: Json, expected: Expected): Step {
  return step("POST /v0/trash/{gone.trash_id}/restore", { body, ...expected });
}

/** The entry goes to this path; then the drive holds exactly these. */
function restoredTo(path: string, ...all: string[]): Step[] {
  return [restoring({}, { json: { path, restored: true } }), holds(...all)];
}

/** Uploads the path behind a plus; deletes the one behind a minus, which is `{gone}` then, or behind an x. */
function doing(...acts: readonly `${"+" | "-" | "x"} ${string}`[]): Step[] {
  return acts.map((act): Step => {
    const path = act.slice(2);
    if (act.startsWith("+")) return put(path);
    const removal = path.endsWith("/") ? removingFolder(path) : removing(path);
    const { keeps: _, ...away } = removal;
    return act.startsWith("-") ? removal : away;
  });
}

runScenarios(stage, {
  "a file goes back to its path, and makes the folders that are missing": [
    ...doing("+ a/b/f.txt", "- a/b/f.txt", "x a/"),
    ...restoredTo("a/b/f.txt", "a/b/f.txt"),
  ],
  "a file goes into a folder beside a file that took the place of its folder": [
    ...doing("+ a/b/f.txt", "- a/b/f.txt", "x a/", "+ a"),
    ...restoredTo("a (restored)/b/f.txt", "a", "a (restored)/b/f.txt"),
  ],
  "a file does not go into a folder beside that another file took as well": [
    ...doing("+ a/f.txt", "- a/f.txt", "x a/", "+ a", "+ a (restored)"),
    ...restoredTo("a (restored 2)/f.txt", "a", "a (restored 2)/f.txt", "a (restored)"),
  ],
  "a folder goes beside a folder that took its path": [
    ...doing("+ a.b/f.txt", "- a.b/", "+ a.b/g.txt"),
    ...restoredTo("a.b (restored)/", "a.b (restored)/f.txt", "a.b/g.txt"),
  ],
  "a folder goes beside a file that took its path": [
    ...doing("+ a/b/f.txt", "- a/b/", "+ a/b"),
    ...restoredTo("a/b (restored)/", "a/b", "a/b (restored)/f.txt"),
  ],
  "a folder is restored to a path that is given": [
    ...doing("+ a/b/f.txt", "- a/", "+ a/b/f.txt"),
    restoring({ path: "x/y/" }, { json: { path: "x/y/", kind: "folder", file_id: null } }),
    holds("a/b/f.txt", "x/y/b/f.txt"),
  ],
  "a folder is not restored to a file's path": [
    ...doing("+ a/f.txt", "- a/"),
    restoring({ path: "x" }, refused("VALIDATION_ERROR", "path")),
  ],
  "a folder is not restored to a taken path": [
    ...doing("+ a/f.txt", "- a/", "+ x/f.txt"),
    restoring({ path: "x/" }, refused("CONFLICT")),
  ],
  "a folder is not restored to where its paths would be too long, and stays in the trash": [
    put(`a/${"b/".repeat(300)}f.txt`),
    removingFolder("a/"),
    restoring({ path: "x/".repeat(300) }, refused("VALIDATION_ERROR", "path")),
    holds(),
    restoring({}, { json: { path: "a/" } }),
  ],
  "what is in the trash is not found, and what comes back is": [
    put("f.txt", "a wombat"),
    removing("f.txt"),
    gives("GET /v0/search?drive_id={drive}&q=wombat", { data: [] }),
    restoring({}, { json: { path: "f.txt" } }),
    gives("GET /v0/search?drive_id={drive}&q=wombat", { data: [{ id: "{gone.id}", path: "f.txt" }] }),
  ],
  "a cursor of another list is refused": refuses(
    "GET /v0/trash?drive_id={drive}&cursor=bm90aGluZw",
    "VALIDATION_ERROR",
    "cursor",
  ),
});
runAfter(stage, [put("f.txt")], {
  "a file goes beside a file that took its path": [
    ...doing("- f.txt", "+ f.txt"),
    ...restoredTo("f (restored).txt", "f (restored).txt", "f.txt"),
  ],
  "a file goes beside what was restored before": [
    ...doing("+ f (restored).txt", "- f.txt", "+ f.txt"),
    ...restoredTo("f (restored 2).txt", "f (restored 2).txt", "f (restored).txt", "f.txt"),
  ],
  "a file is restored to a path that is given, and named after it": [
    removing("f.txt"),
    restoring({ path: "x/g.md" }, { json: { path: "x/g.md", file_id: "{gone.id}" } }),
    gives("GET /v0/files/{gone.id}", { path: "x/g.md", filename: "g.md", mime_type: "text/markdown" }),
  ],
  "a path that ends in a slash keeps the filename": [
    removing("f.txt"),
    restoring({ path: "x/" }, { json: { path: "x/f.txt" } }),
  ],
  "a path that is given and taken is refused, and the entry stays": [
    ...doing("+ g.txt", "- f.txt"),
    restoring({ path: "g.txt" }, refused("CONFLICT")),
    restoring({}, { json: { path: "f.txt" } }),
  ],
  "a path below a file is refused": [
    ...doing("+ g.txt", "- f.txt"),
    restoring({ path: "g.txt/f.txt" }, refused("CONFLICT")),
  ],
  "what a file replaced by a move is an entry, and what was deleted in bulk": [
    put("g.txt", "another", { keeps: "moved" }),
    step("POST /v0/files/{moved.id}/move", {
      body: { destination_path: "f.txt", overwrite: true },
      json: { path: "f.txt" },
    }),
    step("POST /v0/files/bulk-delete", {
      body: { file_ids: ["{moved.id}"] },
      json: { deleted: ["{moved.id}"], failed: [] },
    }),
    gives("GET /v0/trash?drive_id={drive}", {
      data: [
        { path: "f.txt", size: 7 },
        { path: "f.txt", size: 12 },
      ],
      next_cursor: null,
    }),
  ],
  "an entry that is deleted for good cannot be restored": [
    removing("f.txt"),
    gives("DELETE /v0/trash/{gone.trash_id}", { id: "{gone.trash_id}", deleted: true }),
    restoring({}, refused("NOT_FOUND")),
    refuses("DELETE /v0/trash/{gone.trash_id}", "NOT_FOUND"),
  ],
  "the trash of a drive is emptied once that is confirmed": [
    ...doing("+ a/g.txt", "- f.txt", "- a/"),
    gives("DELETE /v0/trash?drive_id={drive}", { drive_id: "{drive}", entry_count: 2 }),
    step("DELETE /v0/trash", {
      body: { drive_id: "{drive}", confirm: true },
      json: { success: true, deleted_count: 2 },
    }),
    gives("GET /v0/trash?drive_id={drive}", { data: [], next_cursor: null }),
    refuses("POST /v0/trash/{gone.trash_id}/restore", "NOT_FOUND"),
  ],
});
