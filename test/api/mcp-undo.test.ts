import { afterAll, beforeAll, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../support/appliance.ts";
import { connectMcp, type McpClient } from "../support/mcp.ts";
import { type OwnDrive, provision } from "../support/scenario.ts";

let coffer: TestAppliance;
let own: OwnDrive;
let mcp: McpClient;
beforeAll(async () => {
  coffer = await startAppliance();
  own = await provision(coffer);
  mcp = await connectMcp(coffer.appliance.url, own.key);
});
afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  await coffer[Symbol.asyncDispose]();
});

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
  expect(await undo("a.txt")).toMatchObject({ path: "a.txt", undone: "file.updated", in_trash: false });
  expect(await at("a.txt")).toBe("two");
  await undo("a.txt");
  expect(await at("a.txt")).toBe("two bad");
});

test("a new file goes into the trash, and comes back", async () => {
  await put("new.txt", "one");
  expect(await undo("new.txt")).toMatchObject({ undone: "file.created", in_trash: true });
  expect(await at("new.txt")).toBeNull();
  expect(await undo("new.txt")).toMatchObject({ undone: "file.deleted", in_trash: false });
  expect(await at("new.txt")).toBe("one");
});

test("what was moved goes back, by its path before or after", async () => {
  await put("from.txt", "one");
  await mcp.get("move_file", { path: "from.txt", destination_path: "sub/to.txt" });
  expect(await undo("sub/to.txt")).toMatchObject({ path: "from.txt", undone: "file.moved" });
  expect(await at("from.txt")).toBe("one");
  await undo("from.txt");
  expect([await at("from.txt"), await at("sub/to.txt")]).toEqual([null, "one"]);
});

test("a folder that was deleted comes back with all that was in it, and what was in it says so", async () => {
  await put("f/g/a.txt", "one");
  await put("f/b.txt", "two");
  await own.client.json(200, "DELETE", "/v0/folders", {
    body: { drive_id: own.id, path: "f/", confirm: true },
  });
  expect(await mcp.refused("undo", { path: "f/b.txt" })).toContain('"f/"');
  expect(await undo("f/")).toMatchObject({ path: "f/", undone: "folder.deleted" });
  expect([await at("f/g/a.txt"), await at("f/b.txt")]).toEqual(["one", "two"]);
  await undo("f/");
  expect(await at("f/b.txt")).toBeNull();
});

test("a folder that was moved goes back", async () => {
  await put("m/a.txt", "one");
  await own.client.json(200, "POST", "/v0/folders/move", {
    body: { drive_id: own.id, path: "m/", destination_path: "n/" },
  });
  await undo("n/");
  expect([await at("m/a.txt"), await at("n/a.txt")]).toEqual(["one", null]);
});

test("what cannot be undone says why", async () => {
  await put("tags.txt", "one");
  await own.client.json(200, "PATCH", `/v0/files/by-path?drive_id=${own.id}&path=tags.txt`, {
    body: { tags: ["x"] },
  });
  expect(await mcp.refused("undo", { path: "tags.txt" })).toContain("tags");
  expect(await mcp.refused("undo", { path: "never.txt" })).toContain("NOT_FOUND");
  const other = await provision(coffer);
  expect(await mcp.refused("undo", { path: "a.txt", drive: other.id })).toContain("NOT_FOUND");
});
