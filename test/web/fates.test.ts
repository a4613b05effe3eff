import { describe, expect, test } from "bun:test";
import { fateInWords, fatesOf, type Happening, happeningTo } from "../../web/lib/fates.ts";
import type { Change, FileRecord } from "../../web/lib/api/types.ts";

let lastId = 0;

function change(type: Change["type"], path: string, more: Partial<Change> = {}): Change {
  return {
    id: String((lastId += 1)),
    type,
    drive_id: "",
    path,
    previous_path: null,
    file_id: null,
    before: null,
    after: null,
    file_count: null,
    version: null,
    ref: null,
    batch_id: null,
    message: null,
    by: null,
    at: "2030-01-01T00:00:00.000Z",
    ...more,
  };
}

/** What became of each change, in words and in the order they happened in. */
function told(...changes: readonly Change[]): string[] {
  const fates = fatesOf(changes.toReversed());
  return changes.map((each) => {
    const fate = fates.get(each.id);
    if (fate === undefined) throw new Error("every change has a fate");
    const words = fateInWords(each, fate, (path) => path)?.join("") ?? "as it says";
    return fate.kind === "gone" ? `gone: ${words}` : `${fate.path}: ${words}`;
  });
}

const A = { file_id: "a" };

describe("what became of", () => {
  test("a file that is there, wherever it went", () => {
    const moved = change("file.moved", "c/d/a.md", { ...A, previous_path: "a.md" });
    const folder = change("folder.moved", "e/", { previous_path: "c/d/" });
    const created = change("file.created", "a.md", A);
    expect(told(created, moved, folder, change("comment.created", "e/a.md", A))).toEqual([
      "e/a.md: now at e/a.md",
      "e/a.md: now at e/a.md",
      "e/: as it says",
      "e/a.md: as it says",
    ]);
    expect(told(created, moved, folder)).toEqual([
      "e/a.md: now at e/a.md",
      "e/a.md: now at e/a.md",
      "e/: as it says",
    ]);
  });

  test("a file that was deleted, and put back", () => {
    const created = change("file.created", "a.md", A);
    const deleted = change("file.deleted", "a.md", { ...A, ref: "t" });
    expect(told(created, deleted)).toEqual(["gone: deleted since", "gone: as it says"]);
    const restored = change("file.restored", "a (2).md", { ...A, ref: "t" });
    expect(told(created, deleted, restored)).toEqual([
      "a (2).md: now at a (2).md",
      "a (2).md: now at a (2).md",
      "a (2).md: as it says",
    ]);
    expect(told(deleted, change("file.restored", "a.md", A))[0]).toBe("a.md: put back since");
    expect(told(created, change("file.deleted", "a.md", A))[0]).toBe("gone: deleted or moved away since");
  });

  test("what is in a folder that was deleted, and put back elsewhere", () => {
    const within = [change("file.created", "c/d/a.md", A), change("folder.created", "c/d/")];
    const beside = change("folder.created", "c-2/");
    const deleted = change("folder.deleted", "c/", { ref: "t" });
    expect(told(...within, beside, deleted)).toEqual([
      "gone: deleted since",
      "gone: deleted since",
      "c-2/: as it says",
      "gone: as it says",
    ]);
    const others = change("folder.restored", "c/", { ref: "another" });
    const back = change("folder.restored", "c (2)/", { ref: "t" });
    expect(told(...within, deleted, others, back)).toEqual([
      "c (2)/d/a.md: now at c (2)/d/a.md",
      "c (2)/d/: now at c (2)/d/",
      "c (2)/: now at c (2)/",
      "c/: as it says",
      "c (2)/: as it says",
    ]);
  });
});

describe("what happens to a file that is shown", () => {
  const file: FileRecord = {
    id: "a",
    drive_id: "",
    path: "c/a.md",
    filename: "a.md",
    mime_type: "text/markdown",
    size: 1,
    content_hash: "sha256:1",
    content_preview: null,
    tags: [],
    metadata: {},
    expires_at: null,
    created_at: "2030-01-01T00:00:00.000Z",
    updated_at: "2030-01-01T00:00:00.000Z",
  };
  const agent = { type: "key", id: "k", name: "agent" } as const;
  const me = { type: "user", id: "me", name: "ada" } as const;
  const other = { ...A, after: { content_hash: "sha256:2", size: 1 }, by: agent };
  const deleted = { kind: "deleted", by: agent, trashId: "t", folder: null } as const;
  const replaced = { kind: "replaced", by: agent } as const;

  test.each<[what: string, change: Change, before: Happening | null, means: Happening | "reload" | null]>([
    ["deleted", change("file.deleted", "c/a.md", { ...A, ref: "t", by: agent }), null, deleted],
    [
      "deleted with its folder",
      change("folder.deleted", "c/", { ref: "t", by: agent }),
      replaced,
      { ...deleted, folder: "c/" },
    ],
    ["another folder deleted", change("folder.deleted", "d/"), null, "reload"],
    ["replaced", change("file.updated", "c/a.md", other), null, replaced],
    ["replaced by oneself", change("file.updated", "c/a.md", { ...other, by: me }), replaced, "reload"],
    [
      "tagged",
      change("file.updated", "c/a.md", { ...other, after: { content_hash: "sha256:1", size: 1 } }),
      null,
      "reload",
    ],
    ["moved", change("file.moved", "b.md", { ...A, previous_path: "c/a.md" }), null, "reload"],
    ["put back", change("file.restored", "c/a.md", A), deleted, "reload"],
    ["its folder put back", change("folder.restored", "c/"), deleted, "reload"],
    ["another folder made while it is away", change("folder.created", "d/"), deleted, null],
    ["commented on", change("comment.created", "c/a.md", A), null, null],
    ["another file deleted", change("file.deleted", "c/b.md", { file_id: "b" }), null, null],
  ])("%s", (_, happened, before, means) => {
    expect(happeningTo(file, happened, before, "me")).toEqual(means);
  });
});
