import { afterAll, expect, test } from "bun:test";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import { connectAgent, connectMcp } from "../../support/peers/mcp.ts";
import { openStageNow, startWithDrive } from "../../support/server/scenario.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { callerWith } from "../../support/server/services-drive.ts";

const stage = await openStageNow();
const mcp = await connectAgent(stage);
const own = mcp.drive;
afterAll(() => mcp[Symbol.asyncDispose]());

function put(path: string, body: string) {
  return own.client.send("PUT", `/v0/files?drive_id=${own.id}&path=${path}`, { body });
}

/** The content at a path; null if there is none. */
async function at(path: string): Promise<string | null> {
  const answer = await own.client.send("GET", `/v0/files/by-path/download?drive_id=${own.id}&path=${path}`);
  return answer.status === 200 ? answer.text : null;
}

const undo = (path: string) => mcp.get("undo", { path });

test("an overwrite and a bad edit are undone, and redone", async () => {
  await put("a.txt", "one");
  await put("a.txt", "two");
  await mcp.get("edit_file", { path: "a.txt", op: "append", text: " bad" });
  expect(await at("a.txt")).toBe("two bad");
  expect(await undo("a.txt")).toMatchObject({ path: "a.txt", undone: "file.updated" });
  expect(await at("a.txt")).toBe("two");
  const { etag } = await undo("a.txt");
  expect(await at("a.txt")).toBe("two bad");
  // What an agent is shown it can guard its next change with.
  await mcp.get("write_file", { path: "a.txt", text: "three", if_match: String(etag) });
  expect(await undo("a.txt")).toMatchObject({ undone: "file.updated" });
});

test("what one call did to many files is undone at once", async () => {
  await put("many/a.txt", "one");
  await put("many/b.txt", "two");
  const body = { drive_id: own.id, paths: ["many/a.txt", "many/b.txt"] };
  const { batch_id } = await own.client.post<{ batch_id: string }>("/v0/files/bulk-delete", body, 200);
  await put("many/b.txt", "new");
  const undone = await mcp.get("undo", { batch_id });
  expect(undone).toMatchObject({ undone: "1 change", failed: ["many/b.txt"], failed_count: 1 });
  expect([await at("many/a.txt"), await at("many/b.txt")]).toEqual(["one", "new"]);
  expect(await mcp.get("undo", { batch_id: String(undone["batch_id"]) })).not.toHaveProperty("failed");
  expect(await at("many/a.txt")).toBeNull();
});

test("a new file goes into the trash, and comes back", async () => {
  await put("new.txt", "one");
  const trashed = await undo("new.txt");
  expect(trashed).toMatchObject({ undone: "file.created", in_trash: true });
  expect(trashed).not.toHaveProperty("etag");
  expect(await at("new.txt")).toBeNull();
  const restored = await undo("new.txt");
  expect(restored).toMatchObject({ undone: "file.deleted" });
  expect(restored).not.toHaveProperty("in_trash");
  expect(await mcp.get("read_file", { path: "new.txt" })).toMatchObject({ etag: restored["etag"] });
  expect(await at("new.txt")).toBe("one");
});

test("a file, or a folder, that was moved goes back, by its path before or after", async () => {
  await put("from.txt", "one");
  await mcp.get("move", { path: "from.txt", destination_path: "sub/to.txt" });
  const { etag, ...moved } = await undo("sub/to.txt");
  expect(moved).toMatchObject({ path: "from.txt", undone: "file.moved" });
  expect(await mcp.get("read_file", { path: "from.txt" })).toMatchObject({ etag });
  expect(await at("from.txt")).toBe("one");
  await undo("from.txt");
  expect([await at("from.txt"), await at("sub/to.txt")]).toEqual([null, "one"]);

  await put("m/a.txt", "one");
  await own.client.post("/v0/folders/move", { drive_id: own.id, path: "m/", destination_path: "n/" }, 200);
  await undo("n/");
  expect([await at("m/a.txt"), await at("n/a.txt")]).toEqual(["one", null]);
});

test("a folder that was deleted comes back with all that was in it, and what was in it says so", async () => {
  await put("f/g/a.txt", "one");
  await put("f/b.txt", "two");
  await own.client.delete("/v0/folders", { drive_id: own.id, path: "f/", confirm: true });
  expect(await mcp.refused("undo", { path: "f/b.txt" })).toContain('"f/"');
  expect(await undo("f/")).toMatchObject({ path: "f/", undone: "folder.deleted" });
  expect([await at("f/g/a.txt"), await at("f/b.txt")]).toEqual(["one", "two"]);
  await undo("f/");
  expect(await at("f/b.txt")).toBeNull();
});

test("a folder that came back from the trash goes there again, and one from a snapshot stays", async () => {
  await put("r/a.txt", "one");
  const { snapshot } = await mcp.get("snapshot", { action: "create" });
  await own.client.delete("/v0/folders", { drive_id: own.id, path: "r/", confirm: true });
  await undo("r/");
  expect(await undo("r/")).toMatchObject({ undone: "folder.restored", in_trash: true });
  await undo("r/");
  await put("r/a.txt", "two");
  await mcp.get("snapshot", { action: "restore", path: "r/", id: Object(snapshot).id });
  expect(await mcp.refused("undo", { path: "r/" })).toContain("snapshot that was taken just before");
  expect(await at("r/a.txt")).toBe("one");
});

test("a folder that holds more by now is not taken away by undoing that it was made", async () => {
  await mcp.get("create_folder", { path: "made/" });
  await put("made/a.txt", "one");
  expect(await mcp.refused("undo", { path: "made/" })).toContain("has 1 file now");
  const copied = { drive_id: own.id, path: "made/", destination_path: "copied/" };
  await own.client.post("/v0/folders/copy", copied);
  await put("copied/b.txt", "two");
  expect(await mcp.refused("undo", { path: "copied/" })).toContain("had 1 file then, and has 2 files now");
  const kept = [await at("made/a.txt"), await at("copied/a.txt"), await at("copied/b.txt")];
  expect(kept).toEqual(["one", "one", "two"]);
  await undo("copied/b.txt");
  expect(await undo("copied/")).toMatchObject({ undone: "folder.copied", in_trash: true });
});

test("a file that comes into a folder while that is undone does not go with it", async () => {
  await mcp.get("create_folder", { path: "busy/" });
  await put("comes.txt", "one");
  const { apiKeys, files, undo: undos } = stage.coffer.appliance.services;
  const caller = callerWith({ apiKeys }, own.key);
  const to = { path: "busy/comes.txt", driveId: undefined, onConflict: "fail" as const };
  // Both are asked before either is written.
  const coming = files.copy(caller, { drive: own.id, path: "comes.txt" }, to, UNCONDITIONAL);
  const undone = undos.last(caller, own.id, "busy/");
  expect(await undone.catch((error: unknown) => error)).toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining("had 0 files then, and has 1 file now"),
  });
  await coming;
  expect(await at("busy/comes.txt")).toBe("one");
});

test("a key without a name is called so", async () => {
  const { key } = await own.client.makeKey();
  await using unnamed = await connectMcp(stage.coffer.appliance.url, key);
  await unnamed.get("write_file", { path: "whose.txt", text: "one" });
  expect(await undo("whose.txt")).toMatchObject({ changed_by: "an unnamed key" });
});

test("what cannot be undone says why", async () => {
  await put("tags.txt", "one");
  await own.client.patch(`/v0/files/by-path?drive_id=${own.id}&path=tags.txt`, { tags: ["x"] });
  expect(await mcp.refused("undo", { path: "tags.txt" })).toContain("tags");
  expect(await mcp.refused("undo", { path: "never.txt" })).toContain("NOT_FOUND");
  const other = await stage.ownDrive();
  expect(await mcp.refused("undo", { path: "a.txt", drive: other.id })).toContain("NOT_FOUND");
});

test("a drive is kept before something risky, ruined, compared, and brought back byte for byte", async () => {
  const whole = await stage.ownDrive();
  const paths = ["a.txt", "f/b.txt", "f/g/c.txt"];
  const write = (path: string, body: string) => whole.client.store(whole.id, path, body);
  for (const path of paths) await write(path, `content of ${path}`);
  await using me = await connectMcp(stage.coffer.appliance.url, whole.key);
  const { snapshot } = await me.get("snapshot", { action: "create", name: "Before" });
  expect(snapshot).toMatchObject({ name: "Before", file_count: 3 });
  const id = String(Object(snapshot).id);
  await me.get("delete", { paths: ["f/"], recursive: true });
  await write("a.txt", "ruined");
  await write("junk.txt", "junk");
  const { differences } = await me.get("snapshot", { action: "compare", id });
  expect(differences).toEqual(["changed a.txt", "removed f/b.txt", "removed f/g/c.txt", "added junk.txt"]);
  const restored = await me.get("snapshot", { action: "restore", id });
  expect(restored).toMatchObject({ files_restored: 3, files_removed: 2 });
  for (const path of paths) {
    const download = `/v0/files/by-path/download?drive_id=${whole.id}&path=${path}`;
    expect((await whole.client.send("GET", download)).text).toBe(`content of ${path}`);
  }
  const { snapshots } = await me.get("snapshot", { action: "list" });
  expect(snapshots).toMatchObject([
    { automatic: true, id: restored["undo_id"] },
    { id, name: "Before" },
  ]);
  // What the restore brought is told of as one change, and undone by the snapshot that it names.
  await me.get("snapshot", { action: "restore", id: String(restored["undo_id"]) });
  expect(await me.refused("undo", { path: "junk.txt" })).toContain("snapshot");
  expect(await me.refused("snapshot", { action: "restore" })).toContain("id");
});

test("where nothing is kept, nothing is deleted for good by undoing", async () => {
  await using forgetful = await startWithDrive(KEEPS_NOTHING);
  await using me = await connectMcp(forgetful.appliance.url, forgetful.own.key);
  expect(mcp.client.getInstructions()).toContain("undo takes back");
  expect(mcp.client.getInstructions()).toMatch(/members.*trash.*webhooks/);
  expect(me.client.getInstructions()).toContain("keeps nothing of it");
  await me.get("write_file", { path: "f/a.txt", text: "one" });
  await me.get("create_folder", { path: "g/" });
  for (const path of ["f/a.txt", "g/"]) {
    expect(await me.refused("undo", { path })).toContain("keeps nothing of what is deleted");
  }
  await me.refuses("delete", { paths: ["f/"] }, "VALIDATION_ERROR: confirm must be true");
  await me.get("write_file", { path: "f/a.txt", text: "two" });
  expect(await me.refused("undo", { path: "f/a.txt" })).toContain("keeps no earlier contents");
  expect(await me.get("list_files", { recursive: true })).toMatchObject({ files: [{ path: "f/a.txt" }] });
});
