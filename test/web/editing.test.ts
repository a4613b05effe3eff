import { ChangeSet, Text } from "@codemirror/state";
import { describe, expect, test } from "bun:test";
import type { FileRecord } from "../../web/lib/api/types.ts";
import { EditedFile } from "../../web/lib/editing/edited-file.ts";
import { Editing } from "../../web/lib/editing/editing.ts";
import { wholeMerge } from "../../web/lib/editing/merge.ts";
import { readStored, type StoredText } from "../../web/lib/editing/stored.ts";
import { NEW_FORMAT } from "../../web/lib/editing/text-format.ts";
import { mergeTexts } from "../../web/lib/editing/three-way.ts";
import { getFile } from "../../web/lib/files.ts";
import { comesTrue, openStoreBench } from "../support/browser/drive-store.ts";
import { putFile } from "../support/server/drives.ts";

// What becomes of a text that is edited while others work on its file; against a real server.

const bench = await openStoreBench();
const { client } = bench.owner;

function begin(file: EditedFile, base: StoredText) {
  const saved: FileRecord[] = [];
  const editing = new Editing({
    file,
    base,
    me: "somebody who looks",
    onSaved: (record) => saved.push(record),
    merge: async (sides) => mergeTexts(sides) ?? wholeMerge(sides),
  });
  editing.follow((changes) => {
    const doc = editing.doc.peek();
    editing.typed(ChangeSet.of([...changes], doc.length).apply(doc));
  });
  return { editing, saved };
}

/** A file of a new drive, and its text, which is edited. */
async function edit(text: string) {
  const drive = (await bench.driveWith()).id;
  const id = await putFile(bench.owner, drive, "a.txt", text);
  const [file, happened] = [await getFile(id), await bench.feedOf(drive)];
  const base = await readStored(file);
  if (typeof base === "string") throw new Error(`${text} cannot be edited`);
  return {
    ...begin(new EditedFile(drive, "a.txt", file), base),
    drive,
    id,
    stored: async (path = "a.txt") => {
      const answer = await client.fetch("GET", `/v0/files/by-path/download?drive_id=${drive}&path=${path}`);
      // Its byte order mark, too.
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.bytes());
    },
    othersWrite: (content: string | Uint8Array<ArrayBuffer>) => client.put(drive, "a.txt", content, 200),
    /** The feed tells what happened, and that is done with. */
    follow: async (editing: Editing) => {
      for (const change of await happened()) editing.told(change);
      await comesTrue(() => !editing.isBusy.value);
    },
  };
}

/** Types a text in place of what is there. */
function type(editing: Editing, text: string): void {
  editing.typed(Text.of(text.split("\n")));
}

const textOf = (editing: Editing) => editing.doc.peek().toString();
const noticeOf = (editing: Editing) => editing.notice.peek()?.kind;

describe("saving", () => {
  test("writes over what was read, in its format, as often as there is something to save", async () => {
    const { editing, saved, stored } = await edit("\ufeffone\r\ntwo\r\n");
    expect([await editing.save(), saved.length]).toEqual([false, 0]);
    type(editing, "one\n2\n");
    expect(editing.isDirty.peek()).toBe(true);
    expect(await editing.save()).toBe(true);
    expect([editing.isDirty.peek(), await stored()]).toEqual([false, "\ufeffone\r\n2\r\n"]);
    type(editing, "three");
    expect(await editing.save()).toBe(true);
    expect([await stored(), saved.length, noticeOf(editing)]).toEqual(["\ufeffthree", 2, "saved"]);
  });

  test("keeps what is typed meanwhile as not saved", async () => {
    const { editing, stored } = await edit("one");
    type(editing, "two");
    const saving = editing.save();
    type(editing, "two and more");
    expect([await saving, await stored(), editing.isDirty.peek()]).toEqual([true, "two", true]);
  });

  test("that is refused keeps the text, and can be tried again", async () => {
    const { editing, stored } = await edit("one");
    bench.requests.refuseNext(/^PUT/);
    type(editing, "two");
    expect([await editing.save(), noticeOf(editing), editing.isDirty.peek()]).toEqual([
      false,
      "failed",
      true,
    ]);
    expect([await editing.save(), await stored()]).toEqual([true, "two"]);
  });

  test("whose answer was lost is sent again as the same request, and no other is taken for it", async () => {
    const { editing, stored, othersWrite } = await edit("one");
    type(editing, "two");
    const { fetch } = globalThis;
    const lose = async (...request: Parameters<typeof fetch>) => {
      globalThis.fetch = fetch;
      await fetch(...request);
      throw new TypeError("the connection is lost");
    };
    globalThis.fetch = Object.assign(lose, { preconnect: () => {} });
    expect([await editing.save(), noticeOf(editing), await stored()]).toEqual([false, "failed", "two"]);
    expect([await editing.save(), noticeOf(editing)]).toEqual([true, "saved"]);
    await othersWrite("one");
    await editing.refresh();
    type(editing, "two");
    expect([await editing.save(), await stored()]).toEqual([true, "two"]);
  });

  test("follows a file that was renamed, and keeps its id", async () => {
    const { editing, stored, id, saved } = await edit("one");
    await client.patch(`/v0/files/${id}`, { path: "b.txt" });
    type(editing, "two");
    expect([await editing.save(), saved[0]?.id, await stored("b.txt")]).toEqual([true, id, "two"]);
  });

  test("makes a new file only where nothing stands, and asks for another name", async () => {
    const { drive, stored } = await edit("one");
    const base = { text: "", format: NEW_FORMAT, etag: null };
    const { editing, saved } = begin(new EditedFile(drive, "a.txt", null), base);
    type(editing, "new");
    expect([await editing.save(), noticeOf(editing), await stored()]).toEqual([false, "taken", "one"]);
    const refusal: unknown = await editing.saveAs("a.txt").catch((error: unknown) => error);
    expect(refusal).toMatchObject({ field: "name" });
    await editing.saveAs("c.txt");
    expect([saved[0]?.path, await stored("c.txt"), editing.isDirty.peek()]).toEqual(["c.txt", "new", false]);
  });
});

describe("where others were quicker", () => {
  test("what does not collide is merged at a save, and saved with the next", async () => {
    const { editing, stored, othersWrite } = await edit("a\nb\nc\nd\n");
    await othersWrite("a\nb\nc\nD\n");
    type(editing, "A\nb\nc\nd\n");
    expect([await editing.save(), noticeOf(editing)]).toEqual([false, "merged"]);
    expect([textOf(editing), await stored()]).toEqual(["A\nb\nc\nD\n", "a\nb\nc\nD\n"]);
    expect([await editing.save(), await stored()]).toEqual([true, "A\nb\nc\nD\n"]);
  });

  test("a save that is asked while the file is looked at comes after that", async () => {
    const { editing, stored, othersWrite } = await edit("one");
    type(editing, "mine");
    const looks = [editing.refresh(), editing.save(), editing.save()];
    expect([await Promise.all(looks), await stored()]).toEqual([[undefined, true, false], "mine"]);
    await othersWrite("theirs");
    type(editing, "mine again");
    const look = editing.refresh();
    expect([await editing.save(), editing.undecided.peek()?.theirs.text]).toEqual([false, "theirs"]);
    await look;
  });

  test("what collides is decided, now or later, and neither side is lost", async () => {
    const { editing, stored, othersWrite } = await edit("a\nb");
    await othersWrite("a\ntheirs");
    type(editing, "a\nmine");
    expect([await editing.save(), editing.undecided.peek() !== null]).toEqual([false, true]);
    editing.putOff();
    expect([textOf(editing), noticeOf(editing)]).toEqual(["a\nmine", "changed"]);
    await editing.merge();
    editing.decide(["both"]);
    expect([textOf(editing), await editing.save(), await stored()]).toEqual([
      "a\nmine\ntheirs",
      true,
      "a\nmine\ntheirs",
    ]);
  });

  test("the feed tells of it: a text without changes follows, another is asked to merge", async () => {
    const { editing, othersWrite, follow } = await edit("a\nb");
    await othersWrite("a\nB");
    await follow(editing);
    expect([textOf(editing), noticeOf(editing), editing.isDirty.peek()]).toEqual(["a\nB", "merged", false]);
    expect(editing.notice.peek()).toMatchObject({ by: { type: "key" } });
    type(editing, "A\nB");
    await othersWrite("a\nB\nc");
    await follow(editing);
    expect([textOf(editing), noticeOf(editing)]).toEqual(["A\nB", "changed"]);
    await editing.merge();
    expect([textOf(editing), noticeOf(editing)]).toEqual(["A\nB\nc", "merged"]);
  });

  test("a file that was put back is itself again, and one that was deleted is made again", async () => {
    const { editing, drive, stored, id, follow, saved } = await edit("one");
    await client.delete(`/v0/files/${id}`);
    await follow(editing);
    expect([noticeOf(editing), editing.canSave.peek()]).toEqual(["deleted", true]);
    const { data } = await client.get<{ data: readonly { id: string }[] }>(`/v0/trash?drive_id=${drive}`);
    await client.post(`/v0/trash/${data[0]?.id}/restore`, {}, 200);
    await follow(editing);
    expect([noticeOf(editing), editing.canSave.peek()]).toEqual([undefined, false]);
    await client.delete(`/v0/files/${id}`);
    await follow(editing);
    type(editing, "two");
    expect([await editing.save(), await stored()]).toEqual([true, "two"]);
    expect(saved[0]?.id).not.toBe(id);
  });

  test("a deletion that was not told is noticed by a save, which then makes it again", async () => {
    const { editing, stored, id } = await edit("one");
    await client.delete(`/v0/files/${id}`);
    type(editing, "two");
    expect([await editing.save(), noticeOf(editing)]).toEqual([false, "deleted"]);
    expect([await editing.save(), await stored()]).toEqual([true, "two"]);
  });

  test("what is no text any more is not merged: it is written over, or beside", async () => {
    const { editing, stored, othersWrite } = await edit("one");
    await othersWrite(new Uint8Array([0, 255]));
    type(editing, "two");
    expect([await editing.save(), noticeOf(editing)]).toEqual([false, "unreadable"]);
    await editing.saveAs("b.txt");
    expect(await stored("b.txt")).toBe("two");
    const other = await edit("one");
    await other.othersWrite(new Uint8Array([0, 255]));
    type(other.editing, "two");
    await other.editing.save();
    const notice = other.editing.notice.peek();
    if (notice?.kind !== "unreadable") throw new Error("it was read");
    expect([await other.editing.saveOver(notice.file), await other.stored()]).toEqual([true, "two"]);
  });
});
