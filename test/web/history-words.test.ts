import { describe, expect, test } from "bun:test";
import { describeChange, filesOf } from "../../web/lib/words/change-words.ts";
import { readDiff } from "../../web/lib/contents/diff.ts";
import type { Change } from "../../web/lib/api/types.ts";

describe("a unified diff is read line by line:", () => {
  test.each([
    ["nothing", "", []],
    [
      "its head is left out, its places become line numbers",
      "--- a/plan.md\n+++ b/plan.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      ["place Line 1", "same one", "removed two", "added 2", "same three"],
    ],
    [
      "lines that look like its head, and the mark of a missing line break",
      "--- a\n+++ b\n@@ -7 +9 @@\n--- old\n+++ new\n\\ No newline at end of file\n",
      ["place Line 9", "removed -- old", "added ++ new"],
    ],
  ] as const)("%s", (_, diff, lines) => {
    expect(readDiff(diff).map(({ kind, text }) => `${kind} ${text}`)).toEqual([...lines]);
  });
});

describe("a change in words:", () => {
  const change: Change = {
    id: "1",
    type: "file.created",
    drive_id: "",
    path: "notes/plan.md",
    previous_path: null,
    file_id: "",
    before: null,
    after: { content_hash: "sha256:1", size: 1 },
    file_count: null,
    version: 1,
    ref: null,
    batch_id: null,
    message: null,
    by: null,
    at: "2030-01-01T00:00:00.000Z",
  };

  test.each<readonly [words: string, change: Partial<Change>]>([
    ["Added notes/plan.md", {}],
    ["Changed notes/plan.md", { type: "file.updated", before: { content_hash: "sha256:2", size: 2 } }],
    ["Changed the details of notes/plan.md", { type: "file.updated", before: change.after }],
    ["Moved old/plan.md to notes/plan.md", { type: "file.moved", previous_path: "old/plan.md" }],
    ["Deleted the folder notes/ (2 files)", { type: "folder.deleted", path: "notes/", file_count: 2 }],
    ["Wrote 500 files in data/", { type: "files.written", path: "data/", file_count: 500 }],
    ["Deleted 1 file", { type: "files.deleted", path: "", file_count: 1 }],
    ["Undid changes of files in data/", { type: "files.undone", path: "data/" }],
    ["Restored the drive from a snapshot", { type: "drive.restored", path: "" }],
    ["Took a snapshot", { type: "snapshot.created", path: "" }],
    ["Made a link to notes/plan.md", { type: "link.created" }],
    ["Revoked a link to the whole drive", { type: "link.revoked", path: "" }],
  ])("%s", (words, different) => {
    const changed = { ...change, ...different };
    const shown = { path: changed.path, previous: changed.previous_path ?? "" };
    const files = filesOf(changed);
    const said = describeChange(changed, shown).join("");
    expect(files === "" ? said : `${said} (${files})`).toBe(words);
  });
});
