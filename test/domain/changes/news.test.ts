import { expect, test } from "bun:test";
import type { Change, NamedActor } from "../../../src/domain/changes/change.ts";
import { newsFor } from "../../../src/domain/changes/news.ts";
import { type BatchId, type FileId, type KeyId, newId, type UserId } from "../../../src/domain/id.ts";

const ME = newId<UserId>(1);
const AGENT: NamedActor = { kind: "key", id: newId<KeyId>(2), name: "agent" };
const OWN: NamedActor = { kind: "user", id: ME, name: "ada" };

type Told = Parameters<typeof newsFor>[1][number];

const files = new Map<string, FileId>();

/** A change; that of a file, if its path says so, by its first name. */
function told(type: Change["type"], path: string, more: Partial<Told> = {}): Told {
  const name = more.previousPath ?? path;
  const fileId = files.get(name) ?? newId<FileId>(3);
  files.set(path, fileId);
  const none = { previousPath: null, fileCount: null, batch: null, ref: null, by: AGENT };
  return { type, path, fileId: path.endsWith("/") ? null : fileId, ...none, ...more };
}

function marks(...changes: Told[]): Record<string, boolean> {
  return Object.fromEntries(newsFor(ME, changes).marks);
}

test("what is there of what others did is marked, where it is now", () => {
  expect(
    marks(
      told("file.created", "a"),
      told("file.updated", "a"),
      told("file.updated", "b"),
      told("file.created", "gone"),
      told("file.deleted", "gone"),
      told("file.moved", "to", { previousPath: "from" }),
      told("file.created", "f/in"),
      told("folder.moved", "g/", { previousPath: "f/" }),
      told("file.created", "h/in"),
      told("folder.deleted", "h/"),
    ),
  ).toEqual({ a: true, b: false, to: false, "g/in": true, "g/": false });
});

test("what somebody did themselves is no news, but moves what is", () => {
  expect(
    marks(
      told("file.created", "own", { by: OWN }),
      told("file.created", "seen"),
      told("file.updated", "seen", { by: OWN }),
      told("file.created", "x"),
      told("file.moved", "y", { previousPath: "x", by: OWN }),
      told("file.moved", "z", { previousPath: "w", by: OWN }),
    ),
  ).toEqual({ y: true });
});

test("files are counted once, by who did it; a batch by its changes", () => {
  const batch = newId<BatchId>(4);
  const { doings } = newsFor(ME, [
    told("file.created", "1"),
    told("file.updated", "1"),
    told("file.created", "2", { batch }),
    told("files.written", "", { batch, ref: batch, fileCount: 1 }),
    told("folder.deleted", "f/", { fileCount: 7 }),
    told("folder.created", "empty/", { fileCount: 0 }),
    told("comment.created", "1"),
    told("file.moved", "3", { previousPath: "2" }),
    told("file.created", "own", { by: OWN }),
    told("file.deleted", "old", { by: null }),
  ]);
  expect(doings).toEqual([
    { by: null, written: 0, deleted: 1, moved: 0, other: 0 },
    { by: AGENT, written: 2, deleted: 7, moved: 1, other: 2 },
  ]);
});
