import { describe, expect, test } from "bun:test";
import { connectAgent, connectMcp, type McpAgent, MOST_CHARACTERS } from "../../support/peers/mcp.ts";
import { changesPage } from "../../support/peers/event-reader.ts";
import { eventually, openStage } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";
import { callerWith } from "../../support/server/services-drive.ts";

const stage = openStage();

const it = testWith(() => connectAgent(stage));

function etagIn(file: Record<string, unknown>): string {
  return String(file["etag"]);
}

/** What a list shows, page by page. */
async function pagesOf(me: McpAgent, args: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const pages: Record<string, unknown>[] = [];
  let cursor: unknown;
  do {
    const page: Record<string, unknown> = await me.get("list_files", { ...args, cursor });
    expect(JSON.stringify(page).length).toBeLessThan(MOST_CHARACTERS);
    pages.push(page);
    cursor = page["next_cursor"];
  } while (cursor !== undefined);
  return pages;
}

function pathsIn(pages: readonly Record<string, unknown>[], of: "files" | "folders"): string[] {
  return pages.flatMap((page) => {
    const found = page[of];
    return Array.isArray(found) ? found.map(({ path }: { path: string }) => path) : [];
  });
}

test("the drive need not be said with one; with several the error names them", async () => {
  await using one = await connectMcp(stage.coffer.appliance.url, stage.world.keys.adaDrive);
  expect(await one.get("list_files")).toMatchObject({ folders: [{ path: "notes/" }] });
  await using all = await connectMcp(stage.coffer.appliance.url, stage.world.keys.bob);
  await stage.world.clients.bob.makeDrive("More");
  expect(await all.refused("list_files")).toBe(
    'VALIDATION_ERROR: drive_id is required, because you have several: "bob/notes", "bob/more".',
  );
  for (const drive of ["bob/notes", stage.world.drives.bob]) {
    expect(await all.get("list_files", { drive, path: "notes" })).toMatchObject({
      files: [{ path: "notes/hello.txt", size: 12 }],
    });
  }
  await all.refuses("list_files", { drive: "ada/notes" }, "NOT_FOUND: No such drive.");
});

describe("many files at once", () => {
  it("are written, read and taken back with a call each", async (me) => {
    const first = await me.get("write_file", { path: "a.md", text: "old\n", tags: ["kept"] });
    const files = [
      { path: "a.md", text: "new\r\n", if_match: etagIn(first) },
      { path: "b.md", text: "b" },
      { path: "c.md", text: "c", if_match: "x" },
      { path: "../d.md", text: "d" },
    ];
    const done = await me.get("write_file", { files });
    expect(done).toMatchObject({ written: 2, failed: [{ path: "c.md" }, { path: "../d.md" }] });
    const { content } = await me.call("read_file", { paths: ["a.md", "b.md", "none.md"] });
    const texts = content.map((each) => String(each["text"]));
    expect(texts.filter((_, at) => at % 2 === 1)).toEqual(["new\r\n", "b"]);
    expect(JSON.parse(texts[0] ?? "")).toEqual({ path: "a.md", etag: expect.any(String) });
    expect(JSON.parse(texts.at(-1) ?? "")).toMatchObject({ failed: [{ path: "none.md" }] });
    expect(await me.get("read_file", { path: "a.md" })).toMatchObject({ tags: ["kept"] });
    expect(await me.get("undo", { batch_id: done["batch_id"] })).toMatchObject({ undone: "2 changes" });
    expect(await me.get("read_file", { path: "a.md" })).toMatchObject({ text: "old" });
  });

  it("are named, or one is", async (me) => {
    await me.refuses("write_file", { text: "x" }, "VALIDATION_ERROR: path is required, or files instead");
    await me.refuses("read_file", {}, "VALIDATION_ERROR: path is required, or paths instead");
  });
});

describe("writing", () => {
  it("text, bytes, tags and a type come back as they were sent", async (me) => {
    const { drive } = me;
    const content = { text: "Grüße, 日本\r\n", tags: ["a", "b"], mime_type: "text/x-mine" };
    const made = await me.get("write_file", { path: "a/b.txt", ...content });
    const { text, ...attributes } = content;
    expect(made).toEqual({ path: "a/b.txt", etag: expect.any(String), size: 17, created: true });
    const facts = await me.get("list_files", { path: "a", fields: ["tags", "mime_type"] });
    expect(facts["files"]).toEqual([{ path: "a/b.txt", size: 17, ...attributes }]);
    const { data } = await drive.client.get<{ data: { id: string }[] }>(`/v0/files?drive_id=${drive.id}`);
    const download = await drive.client.send("GET", `/v0/files/${data[0]?.id}/download`);
    expect([download.text, download.headers.get("etag")]).toEqual([text, etagIn(made)]);
    const empty = await me.get("write_file", { path: "README", text: "" });
    expect(empty).toMatchObject({ size: 0 });
    await me.get("write_file", { path: "g", base64: "" });
    const types = await me.get("list_files", { fields: ["mime_type"] });
    expect(types["files"]).toMatchObject([
      { path: "g", mime_type: "application/octet-stream" },
      { path: "README", mime_type: "text/plain" },
    ]);
    expect(await me.get("write_file", { path: "f.png", base64: "iVBORw0K\nGgo" })).toMatchObject({ size: 8 });
    const both = { text: "a", base64: "YQ==" };
    for (const wrong of [{}, both, { base64: "not base64" }, { base64: "some plain text" }]) {
      await me.refuses("write_file", { path: "x", ...wrong }, "VALIDATION_ERROR:");
    }
    await me.refuses("write_file", { path: "../x", text: "" }, "VALIDATION_ERROR: path ");
    expect(await me.refused("write_file", { path: "x", text: "", IfMatch: "x" })).toContain(
      "Did you mean if_match? It takes drive_id, path,",
    );
  });

  it("a refusal names what was sent, and says one thing to do", async (me) => {
    const { etag } = await me.get("write_file", { path: "a.md", text: "one\none\n" });
    await me.get("write_file", { path: "b.md", text: "two\n" });
    await me.get("write_file", { path: "folder/c.md", text: "" });
    const made = { path: "x", text: "" };
    const edit = { path: "a.md", op: "str_replace", new_string: "" };
    const told: [tool: string, args: Record<string, unknown>, text: string | RegExp][] = [
      ["write_file", { path: "notes/", text: "" }, /^VALIDATION_ERROR: path must name a file/],
      ["write_file", { path: "/", text: "" }, /^VALIDATION_ERROR: path must name a file/],
      ["search", { query: "x", wrods: "y" }, /^VALIDATION_ERROR: wrods /],
      ["search", { query: "x".repeat(600) }, /^VALIDATION_ERROR: query must /],
      ["list_files", { path: "\u0000" }, /^VALIDATION_ERROR: path must /],
      ["delete", { paths: ["\u0000"] }, /^VALIDATION_ERROR: paths must /],
      ["write_file", { ...made, content_type: "\u0000" }, /^VALIDATION_ERROR: content_type must /],
      ["write_file", { ...made, mime_type: "\u0000" }, /^VALIDATION_ERROR: mime_type must /],
      ["write_file", { ...made, mime_type: "words" }, /^VALIDATION_ERROR: mime_type /],
      [
        "edit_file",
        { ...edit, old_string: "three" },
        "CONFLICT: old_string is not in the file. Nothing was changed. Read the file and copy the text exactly.",
      ],
      [
        "edit_file",
        { ...edit, old_string: "one" },
        "CONFLICT: old_string is in the file more than once, at line 1, 2. Nothing was changed. Send more of the text around the place you mean, or `replace_all`.",
      ],
      [
        "move",
        { path: "b.md", destination_path: "a.md" },
        'CONFLICT: The file "a.md" already exists. Choose another path, or pass on_conflict: replace.',
      ],
      [
        "copy",
        { path: "b.md", destination_path: "folder", on_conflict: "replace" },
        'CONFLICT: The folder "folder/" already exists. Choose another path, or delete it first.',
      ],
      [
        "write_file",
        { path: "a.md", text: "", only_create: true },
        "PRECONDITION_FAILED: Nothing was changed. There is a file at this path. Choose another path, or leave out only_create to replace it.",
      ],
      [
        "write_file",
        { path: "none.md", text: "", if_match: etag },
        "PRECONDITION_FAILED: Nothing was changed. There is no file at this path. Leave out if_match to create one.",
      ],
      [
        "write_file",
        { path: "b.md", text: "", if_match: etag },
        "PRECONDITION_FAILED: Nothing was changed. The file has changed since you read it: read the file again, make your change to what it says now, and pass its new etag as if_match.",
      ],
    ];
    for (const [tool, args, text] of told) {
      if (typeof text === "string") expect(await me.refused(tool, args)).toBe(text);
      else await me.refuses(tool, args, text);
    }
  });

  it("of two agents that read the same file, the second is told", async (me) => {
    const plan = { path: "plan.md", only_create: true };
    const first = await me.get("write_file", { ...plan, text: "1", tags: ["kept"] });
    await me.refuses("write_file", { ...plan, text: "2" }, "PRECONDITION_FAILED");
    const mine = { path: "plan.md", text: "mine", if_match: etagIn(first) };
    const second = await me.get("write_file", mine);
    expect(second).toMatchObject({ created: false });
    expect(await me.get("read_file", { path: "plan.md" })).toMatchObject({ tags: ["kept"], text: "mine" });
    const yours = await me.refused("write_file", { ...mine, text: "yours" });
    expect(yours).toMatch(/^PRECONDITION_FAILED: .* read the file again/);
    const stale = { path: "plan.md", if_match: etagIn(first) };
    await me.refuses("move", { ...stale, destination_path: "b" }, "PRECONDITION_FAILED");
    await me.refuses("copy", { ...stale, destination_path: "b" }, "PRECONDITION_FAILED");
    await me.refuses("delete", { paths: ["plan.md"], if_match: etagIn(first) }, "PRECONDITION_FAILED");
    const gone = { path: "gone.md", text: "x", if_match: etagIn(first) };
    for (const said of [yours, await me.refused("write_file", gone)]) {
      // A model has arguments, and no headers.
      expect(said).not.toMatch(/If-Match|header/);
    }
    // An etag without its quotes is understood.
    const bare = etagIn(second).replaceAll('"', "");
    expect(await me.get("move", { path: "plan.md", destination_path: "b", if_match: bare })).toMatchObject({
      path: "b",
      etag: etagIn(second),
    });
  });
});

it("a part is edited, and the answer says how", async (me) => {
  const first = await me.get("write_file", { path: "a.txt", text: "one\ntwo\ntwo\n", tags: ["t"] });
  const edit = (args: Record<string, unknown>) => me.get("edit_file", { path: "a.txt", ...args });
  const one = { op: "str_replace", old_string: "one", new_string: "1" };
  const replaced = await edit({ ...one, if_match: first["etag"] });
  expect(replaced).toMatchObject({ size: 10 });
  expect(replaced).not.toHaveProperty("diff_cut");
  expect(replaced["diff"]).toContain("-one\n+1\n");
  const twice = { path: "a.txt", op: "str_replace", old_string: "two", new_string: "2" };
  await me.refuses("edit_file", twice, /^CONFLICT: .*2.*3.* Send more of the text/s);
  await me.refuses("edit_file", { ...twice, if_match: first["etag"] }, "PRECONDITION_FAILED");
  await me.refuses("edit_file", { path: "a.txt", op: "insert" }, "VALIDATION_ERROR: line");
  const dry = await edit({ op: "insert", line: 0, text: "zero", dry_run: true });
  expect(dry["etag"]).toBe(replaced["etag"]);
  expect(dry["diff"]).toContain("+zero");
  const edits = [
    { op: "str_replace", old_string: "two", new_string: "2", replace_all: true },
    { op: "append", text: "end" },
  ];
  await edit({ edits });
  const all = await me.get("append_file", { path: "a.txt", text: "!" });
  expect(await me.get("read_file", { path: "a.txt" })).toMatchObject({
    text: "1\n2\n2\nend!",
    etag: all["etag"],
  });
  await me.refuses("append_file", { path: "b.txt", text: "" }, "NOT_FOUND");
  // A long diff is cut.
  await me.get("write_file", { path: "b.txt", text: "a\n".repeat(20_000) });
  const each = { op: "str_replace", old_string: "a", new_string: "b", replace_all: true };
  const { diff, diff_cut: isCut } = await me.get("edit_file", { path: "b.txt", ...each });
  expect([String(diff).length < 20_000, isCut]).toEqual([true, true]);
});

describe("moving, copying and deleting", () => {
  it("a file is replaced only where that is asked for", async (me) => {
    await me.get("write_file", { path: "a.txt", text: "a" });
    const b = await me.get("write_file", { path: "dir/a.txt", text: "b" });
    for (const tool of ["move", "copy"]) {
      const to = { path: "a.txt", destination_path: "dir/" };
      await me.refuses(tool, to, /^CONFLICT: .* pass on_conflict: replace/);
      await me.refuses(tool, { ...to, on_conflict: "fail" }, "CONFLICT");
    }
    const listed = await me.get("list_files", { path: "dir/", fields: ["etag"] });
    expect(listed).toMatchObject({ files: [{ etag: etagIn(b) }] });
    const copied = await me.get("copy", { path: "a.txt", destination_path: "dir/", on_conflict: "replace" });
    expect(copied).toMatchObject({ path: "dir/a.txt", size: 1 });
    expect(etagIn(copied)).not.toBe(etagIn(b));
    await me.get("move", { path: "a.txt", destination_path: "new/name.txt" });
    expect(pathsIn(await pagesOf(me, { recursive: true }), "files")).toEqual(["dir/a.txt", "new/name.txt"]);
  });

  it("what could be deleted is, and what could not is named", async (me) => {
    for (const path of ["a", "b"]) await me.get("write_file", { path, text: path });
    expect(await me.get("delete", { paths: ["a", "gone", "b", "a"] })).toEqual({
      deleted: ["a", "b"],
      file_count: 2,
      batch_id: expect.any(String),
      failed: [{ path: "gone", error: expect.stringContaining("NOT_FOUND") }],
    });
    await me.refuses("delete", { paths: ["gone"] }, "NOT_FOUND");
    await me.refuses("delete", { paths: [] }, "VALIDATION_ERROR");
    await me.refuses("delete", { paths: ["a", "b"], if_match: "x" }, "VALIDATION_ERROR");
  });

  it("a folder is copied, moved and deleted as a file is, and so are several", async (me) => {
    for (const path of ["dir/sub/a.md", "dir/b.txt", "c.md"]) await me.get("write_file", { path, text: "x" });
    const both = { file_count: 2, total_size: 2 };
    const copied = await me.get("copy", { path: "dir", destination_path: "copies/" });
    expect(copied).toEqual({ path: "copies/dir/", ...both });
    const moved = await me.get("move", { path: "copies/dir/", destination_path: "moved/" });
    expect(moved).toEqual({ path: "moved/", ...both });
    const several = { paths: ["dir/", "c.md", "gone"], destination_path: "all/" };
    expect(await me.get("move", several)).toEqual({
      done: 2,
      failed: [{ path: "gone", error: expect.stringMatching(/^NOT_FOUND: /) }],
      batch_id: expect.any(String),
    });
    const again = { glob: "moved/**/*.md", destination_path: "all/" };
    expect(await me.get("copy", again)).toEqual({ done: 1, batch_id: expect.any(String) });
    expect(await me.get("copy", { ...again, on_conflict: "skip" })).toEqual({
      done: 0,
      skipped: ["moved/sub/a.md"],
    });
    await me.refuses("copy", { ...again, destination_path: "all" }, "VALIDATION_ERROR: destination_path ");
    await me.refuses("copy", { ...again, if_match: "x" }, "VALIDATION_ERROR: if_match ");
    await me.refuses("move", { destination_path: "all/" }, "VALIDATION_ERROR: path or one of ");
    const would = { would_delete: ["moved/"], file_count: 2 };
    expect(await me.get("delete", { paths: ["moved"], dry_run: true })).toEqual(would);
    expect(await me.get("delete", { paths: ["moved"] })).toEqual({ deleted: ["moved/"], file_count: 2 });
    await me.refuses("delete", { paths: ["all/"], if_match: "x" }, "VALIDATION_ERROR: if_match ");
    const markdown = { glob: "**/*.md" };
    const found = ["all/a.md", "all/c.md", "all/dir/sub/a.md"];
    expect(await me.get("delete", { ...markdown, dry_run: true })).toEqual({
      would_delete: found,
      file_count: 3,
    });
    const { batch_id, ...gone } = await me.get("delete", markdown);
    expect(gone).toEqual({ file_count: 3 });
    const { changes } = await me.get("changes");
    if (!Array.isArray(changes)) throw new Error("no changes");
    expect(changes.at(-1)).toContain(`files.deleted all/ (3 files) by`);
    expect(changes.at(-1)).toEndWith(`(batch_id ${String(batch_id)})`);
    expect(await me.get("undo", { batch_id })).toMatchObject({ undone: "3 changes" });
    expect(pathsIn(await pagesOf(me, { glob: "**/*.md" }), "files")).toEqual(found);
    await me.get("delete", markdown);
    expect(pathsIn(await pagesOf(me, { recursive: true }), "files")).toEqual(["all/dir/b.txt"]);
    await me.refuses("delete", { ...markdown, paths: ["all"] }, "VALIDATION_ERROR: paths or glob ");
  });
});

/** A long name, with its number. */
function long(name: string, at: number): string {
  return `${name}${String(at).padStart(3, "0")}${"x".repeat(200)}`;
}

describe("lists", () => {
  it("a page is cut to a readable size, and the next one goes on", async (me) => {
    const { drive } = me;
    const folders = Array.from({ length: 120 }, (_, at) => `${long("d", at)}/`);
    const files = Array.from({ length: 150 }, (_, at) => long("f", at));
    const { folders: service, uploads } = stage.coffer.appliance.services;
    const caller = callerWith(stage.coffer.appliance.services, drive.key);
    for (const path of folders) await service.create(caller, drive.id, path);
    const rest = { filename: undefined, contentType: undefined, metadata: undefined, tags: undefined };
    for (const path of files) {
      const upload = await uploads.begin(caller, drive.id);
      const fields = { ...rest, driveId: drive.id, path, expiresAt: undefined };
      await upload.finish(fields, { ifMatch: null, ifUnmodifiedSince: null, ifNoneMatch: null });
    }
    const pages = await pagesOf(me, {});
    expect(pages.length).toBeGreaterThan(2);
    expect(pathsIn(pages, "folders")).toEqual(folders);
    expect(pathsIn(pages, "files")).toEqual(files);
    const below = await pagesOf(me, { recursive: true });
    expect(pathsIn(below, "files")).toEqual(files);
    expect(pathsIn(below, "folders")).toEqual([]);
    const small = await pagesOf(me, { limit: 50 });
    expect(pathsIn(small, "folders")).toEqual(folders);
    expect(pathsIn(small, "files")).toEqual(files);
    for (const page of small) expect([page["folders"], page["files"]].flat().length).toBeLessThanOrEqual(50);
    await me.refuses("list_files", { cursor: "x" }, "VALIDATION_ERROR: cursor ");
  });

  it("files are listed by a pattern of their paths, page by page", async (me) => {
    const wanted = Array.from({ length: 120 }, (_, at) => `d/${at % 7}/f${String(at).padStart(3, "0")}.md`);
    for (const path of wanted) await me.get("write_file", { path, text: "", tags: ["a"] });
    for (const path of ["d/x.txt", "e.md"]) await me.get("write_file", { path, text: "" });
    const pages = await pagesOf(me, { path: "d/", glob: "**/*.md", tags: ["a"] });
    expect([pages.length, pathsIn(pages, "files")]).toEqual([2, wanted.toSorted()]);
    const few = await pagesOf(me, { path: "d/", glob: "3/*.md", limit: 5 });
    expect([few.length, pathsIn(few, "files").length]).toEqual([4, 17]);
    await me.refuses("list_files", { glob: "" }, "VALIDATION_ERROR: glob ");
    const found = await me.get("grep", { pattern: "^", glob: "*.md" });
    expect(found).toMatchObject({ files: [] });
  });

  it("a folder is found with and without its slash, and a new one is there", async (me) => {
    expect(await me.get("create_folder", { path: "a/b" })).toMatchObject({ path: "a/b/", created: true });
    expect(await me.get("create_folder", { path: "a/b/" })).toMatchObject({ created: false });
    for (const path of ["a", "a/", "/a/"]) {
      expect(pathsIn(await pagesOf(me, { path }), "folders")).toEqual(["a/b/"]);
    }
  });
});

it("search shows a page of many at a time", async (me) => {
  for (let at = 0; at < 45; at += 1) await me.get("write_file", { path: `file-${at}`, text: "needle" });
  await eventually(async () => (await me.get("search", { query: "needle" }))["total"] === 45);
  const found: unknown[] = [];
  for (let page: unknown = 1; page !== undefined;) {
    const answer = await me.get("search", { query: "needle", page });
    if (Array.isArray(answer["results"]))
      found.push(...answer["results"].map(({ path }: { path: string }) => path));
    page = answer["next_page"];
  }
  expect(new Set(found).size).toBe(45);
  const few = await me.get("search", { query: "needle", limit: 2 });
  expect(few).toMatchObject({ total: 45, next_page: 2 });
  expect(few["results"]).toHaveLength(2);
});

it("a file is shared, and one uploaded, with nothing but its URL, once", async (me) => {
  await me.get("write_file", { path: "a.txt", text: "shared" });
  const shared = await me.get("share", { action: "download", path: "a.txt", one_time: true, expires_in: 60 });
  expect(shared).toMatchObject({ path: "a.txt", expires_at: "2030-01-01T00:01:00.000Z" });
  expect(await (await fetch(String(shared["url"]))).text()).toBe("shared");
  expect((await fetch(String(shared["url"]))).status).toBe(410);
  const made = await me.get("share", { action: "upload", path: "in/a.bin", max_size: 3, expires_in: 60 });
  expect(made).toMatchObject({ path: "in/a.bin", expires_at: "2030-01-01T00:01:00.000Z" });
  const put = async (body: string) => (await fetch(String(made["url"]), { method: "PUT", body })).status;
  expect(await put("long")).toBe(413);
  expect(await put("abc")).toBe(201);
  expect(await put("abc")).toBe(410);
  expect(await me.get("list_files", { path: "in" })).toMatchObject({
    files: [{ path: "in/a.bin", size: 3 }],
  });
  await me.refuses("share", { action: "upload", path: "in/" }, "VALIDATION_ERROR: path ");
});

it("people get a page, and links are listed and revoked", async (me) => {
  await me.get("write_file", { path: "photos/a.txt", text: "shared" });
  const page = { action: "page", path: "photos/", password: "open sesame" };
  const { id, url, expires_at } = await me.get("share", { ...page, expires_at: "2030-01-03T00:00:00Z" });
  expect(url).toStartWith(`${stage.coffer.appliance.url}/s/shr_`);
  expect(expires_at).toBe("2030-01-03T00:00:00.000Z");
  const link = { id, kind: "folder", path: "photos/", expires_at, uses: 0, has_password: true };
  expect(await me.get("share", { action: "list" })).toEqual({ links: [link] });
  expect(await me.get("share", { action: "revoke", link_id: id })).toEqual({ revoked: id });
  expect(await me.get("share", { action: "list" })).toEqual({ links: [] });
  await me.refuses("share", { action: "revoke" }, "VALIDATION_ERROR: link_id is required to revoke");
  await me.refuses("share", { action: "download" }, "VALIDATION_ERROR: path is required to download");
});

it("the names that tools had are understood, and not listed", async (me) => {
  for (const path of ["a", "b"]) await me.get("write_file", { path, text: path });
  await me.get("move_file", { path: "a", destination_path: "c" });
  await me.get("copy_file", { path: "c", destination_path: "d" });
  expect(await me.get("delete_files", { paths: ["b"] })).toEqual({ deleted: ["b"], file_count: 1 });
  expect((await me.get("share_file", { path: "c" }))["url"]).toContain("/v0/presigned/");
  expect((await me.get("create_upload_link", { path: "e" }))["url"]).toContain("/v0/uploads/");
  expect(pathsIn(await pagesOf(me, {}), "files")).toEqual(["c", "d"]);
  const names = (await me.client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => /_file$|_files$|_link$/.test(name))).toEqual([
    "list_files",
    "read_file",
    "write_file",
    "edit_file",
    "append_file",
  ]);
});

/** The id of the first comment in an answer. */
function firstIdIn({ comments }: Record<string, unknown>): string {
  const [first]: { id?: string }[] = Array.isArray(comments) ? comments : [];
  return first?.id ?? "";
}

describe("comments", () => {
  it("are added to lines, listed where these are now, answered and resolved", async (me) => {
    await me.get("write_file", { path: "a.txt", text: "one\ntwo\n" });
    const added = await me.get("comments", {
      action: "add",
      path: "a.txt",
      text: "Why, @bo?",
      start_line: 2,
    });
    expect(added).toMatchObject({ comments: [{ path: "a.txt", lines: "2-2" }] });
    const id = firstIdIn(added);
    await me.get("comments", { action: "add", path: "a.txt", text: "So.", comment_id: id });
    await me.get("write_file", { path: "a.txt", text: "zero\none\ntwo\n" });
    const list = (args: object) => me.get("comments", { action: "list", ...args });
    expect(await list({ path: "a.txt" })).toMatchObject({
      comments: [
        { id, lines: "3-3" },
        { reply_to: id, text: "So." },
      ],
    });
    expect(await list({ mention: "Bo" })).toMatchObject({ comments: [{ id }] });
    await me.get("write_file", { path: "a.txt", text: "one\n" });
    expect(await list({ path: "a.txt" })).toMatchObject({ comments: [{ id, outdated: true }, {}] });
    expect(await me.get("comments", { action: "resolve", comment_id: id })).toMatchObject({
      comments: [{ id, resolved: true }],
    });
    expect(await list({})).toMatchObject({ comments: [] });
  });

  it("say what is missing", async (me) => {
    await me.refuses("comments", { action: "add", text: "x" }, "VALIDATION_ERROR: path is required to add");
    await me.refuses(
      "comments",
      { action: "resolve" },
      "VALIDATION_ERROR: comment_id is required to resolve",
    );
  });
});

it("what a change is made for stands in the feed", async (me) => {
  const text = "a\n";
  await me.get("write_file", { path: "a.txt", text, message: "Start" });
  await me.get("edit_file", { path: "a.txt", op: "insert", line: 0, text: "b\n", message: "Go on" });
  await me.get("append_file", { path: "a.txt", text, message: "Log" });
  await me.get("copy_file", { path: "a.txt", destination_path: "b.txt", message: "Keep" });
  await me.get("move_file", { path: "a.txt", destination_path: "c.txt", message: "Sort" });
  await me.get("delete_files", { paths: ["c.txt"], message: "Done" });
  const { data } = await changesPage(me.drive.client, `drive_id=${me.drive.id}`);
  expect(data.map(({ message }) => message)).toEqual(["Start", "Go on", "Log", "Keep", "Sort", "Done"]);
  const wrong = { path: "a.txt", text, message: "x".repeat(501) };
  await me.refuses("write_file", wrong, "VALIDATION_ERROR: message must have 1 to 500 characters");
});
