import { expect, test } from "bun:test";
import { connectAgent, connectMcp, type McpAgent } from "../../support/peers/mcp.ts";
import { openStage, provision, startWithDrive } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const stage = openStage();

const it = testWith(() => connectAgent(stage));

const PLAN = { path: "plan.md" };

/** What `changes` tells, without the times. */
async function told(me: McpAgent, args: Record<string, unknown> = {}) {
  const { changes, ...rest } = await me.get("changes", args);
  if (!Array.isArray(changes)) throw new Error("no changes were told");
  return { ...rest, lines: changes.map((line: string) => line.replace(/^\S+ /, "")) };
}

it("the versions of a file are listed, read, compared and restored", async (me) => {
  const { etag } = await me.get("write_file", { ...PLAN, text: "one\ntwo\n" });
  for (const text of ["one\n2\n", "one\n2\n3\n"]) await me.get("write_file", { ...PLAN, text });
  const versions = (action: string, more = {}) => me.get("versions", { ...PLAN, action, ...more });
  const { replaced_at: at, replaced_by: by } = {
    replaced_at: "2030-01-01T00:00:00.000Z",
    replaced_by: "key Provisioned with the drive",
  };
  expect(await versions("list")).toEqual({
    current_version: 3,
    versions: [
      { version: 2, size: 6, replaced_at: at, replaced_by: by },
      { version: 1, size: 8, replaced_at: at, replaced_by: by },
    ],
  });
  expect(await versions("read", { version: 1, start_line: 2 })).toEqual({
    path: "plan.md",
    version: 1,
    size: 8,
    start_line: 2,
    end_line: 2,
    total_lines: 2,
    text: "two",
  });
  expect(await versions("diff")).toMatchObject({ from: 2, to: 3, diff: expect.stringContaining("+3\n") });
  expect(await versions("diff", { version: 1, to: 2 })).toMatchObject({
    diff: expect.stringContaining("-two\n+2\n"),
  });
  const stale = { ...PLAN, action: "restore", version: 1, if_match: etag };
  await me.refuses("versions", stale, "PRECONDITION_FAILED: Nothing was changed.");
  expect(await versions("restore", { version: 1 })).toEqual({ path: "plan.md", etag, size: 8 });
  expect(await me.get("read_file", PLAN)).toMatchObject({ text: "one\ntwo" });
  await me.refuses("versions", { ...PLAN, action: "read" }, "VALIDATION_ERROR: version is required to read");
  await me.refuses("versions", { ...PLAN, action: "read", version: 9 }, "NOT_FOUND");
  for (const length of [1, 2]) await me.drive.client.store(me.drive.id, "a.bin", new Uint8Array(length));
  const bytes = { path: "a.bin", action: "read", version: 1 };
  await me.refuses("versions", bytes, "VALIDATION_ERROR: version is no text");
});

it("what changed is told since a time, and then since the last answer, once each", async (me) => {
  const { clock } = stage.coffer;
  await me.get("write_file", { path: "old.md", text: "" });
  clock.advance(2 * 60 * 60 * 1000);
  await me.get("write_file", { path: "notes/a.md", text: "a" });
  await me.get("move", { path: "notes/a.md", destination_path: "b.md" });
  await me.get("delete", { paths: ["notes/"], confirm: true });
  const by = "by key Provisioned with the drive";
  const recent = [
    `file.created notes/a.md ${by}`,
    `file.moved b.md (was notes/a.md) ${by}`,
    `folder.deleted notes/ (0 files) ${by}`,
  ];
  const first = await told(me);
  expect(first.lines).toEqual(recent);
  expect((await told(me, { since: "3h" })).lines).toEqual([`file.created old.md ${by}`, ...recent]);
  expect((await told(me, { since: "2030-01-01T00:00:00Z", limit: 1 })).lines).toHaveLength(1);
  expect((await told(me, { path: "b.md" })).lines).toEqual(recent.slice(1, 2));
  expect((await told(me, { path: "notes/" })).lines).toEqual(recent);
  expect((await told(me, { path: "other/" })).lines).toEqual([]);
  const cursor = Reflect.get(first, "next_cursor");
  expect((await told(me, { cursor })).lines).toEqual([]);
  await me.get("write_file", { path: "new.md", text: "" });
  expect((await told(me, { cursor })).lines).toEqual([`file.created new.md ${by}`]);
  const two = await told(me, { since: "3h", limit: 2 });
  expect([two.lines.length, Reflect.get(two, "has_more")]).toEqual([2, true]);
  const rest = await told(me, { cursor: Reflect.get(two, "next_cursor") });
  expect(rest.lines).toEqual([...recent.slice(1), `file.created new.md ${by}`]);
  for (const since of ["soon", "5", "5x", "2030-02-30"])
    await me.refuses("changes", { since }, "VALIDATION_ERROR: since ");
  // To go back further than anything is kept is no error.
  expect((await told(me, { since: "9999d" })).lines).toHaveLength(5);
});

test("with several drives, each change says where it was", async () => {
  const { clients, keys } = stage.world;
  const { slug } = await clients.bob.makeDrive("Beside");
  await using bob = await connectMcp(stage.coffer.appliance.url, keys.bob);
  await bob.get("write_file", { drive: slug, path: "a.md", text: "" });
  const { changes } = await bob.get("changes");
  expect(changes).toContainEqual(expect.stringContaining(`file.created a.md by an unnamed key in ${slug}`));
});

test("a person's key forks a drive, as it is or was, and compares page by page", async () => {
  const { keys } = stage.world;
  await using ada = await connectMcp(stage.coffer.appliance.url, keys.ada);
  const { drive } = await ada.get("snapshot", { drive: "ada/notes", action: "fork", name: "Try" });
  expect(drive).toBe("ada/try");
  const { snapshot } = await ada.get("snapshot", { drive, action: "create" });
  const id = Object(snapshot).id;
  for (let at = 0; at < 130; at += 1) await ada.get("write_file", { drive, path: `f${at}`, text: "" });
  const first = await ada.get("snapshot", { drive, action: "compare", id });
  const second = await ada.get("snapshot", { drive, action: "compare", id, cursor: first["next_cursor"] });
  const paths = [first["differences"], second["differences"]].flat();
  expect([paths.length, new Set(paths).size, second["next_cursor"]]).toEqual([130, 130, undefined]);
  const was = await ada.get("snapshot", { drive, action: "fork", name: "Was", id });
  expect(was).toEqual({ drive: "ada/was", file_count: 1 });
});

test("a position in the feed is found by its time, whatever happened elsewhere", async () => {
  await using coffer = await startWithDrive();
  await using me = await connectMcp(coffer.appliance.url, coffer.own.key);
  // Nothing was kept before this.
  expect(await me.get("changes", { since: "1d" })).toMatchObject({ changes: [] });
  const other = await provision(coffer);
  for (const path of ["a", "b"]) await other.client.store(other.id, path, "x");
  coffer.clock.advance(1000);
  await me.get("write_file", { path: "mine", text: "" });
  const { changes } = await me.get("changes", { since: "2030-01-01T00:00:01Z" });
  expect(changes).toEqual(["2030-01-01T00:00:01.000Z file.created mine by key Provisioned with the drive"]);
});
