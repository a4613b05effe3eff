import { expect, test } from "bun:test";
import type { Change } from "../../web/lib/api/types.ts";
import { type DriveNews, Visits } from "../../web/lib/news.ts";

const BY_OTHERS = { type: "key", id: "agent", name: "agent" } as const;

function told(news: DriveNews, type: Change["type"], path: string, by: Change["by"] = BY_OTHERS): void {
  const none = { previous_path: null, file_id: null, before: null, after: null, file_count: null, ref: null };
  const rest = { drive_id: "", version: null, batch_id: null, message: null, at: "2030-01-01T00:00:00.000Z" };
  news.tell({ id: path, type, path, by, ...none, ...rest });
}

test("what others do is marked, and so are the folders above it, until it is looked at", () => {
  const news = new Visits("me").of("drive");
  told(news, "file.created", "a/b/new");
  told(news, "file.updated", "a/old");
  told(news, "file.created", "a/own", { type: "user", id: "me", name: "me" });
  const marks = () => ["a/", "a/b/", "a/b/new", "a/old", "a/own", "b/"].map((path) => news.markOf(path));
  expect(marks()).toEqual(["changed", "changed", "new", "changed", undefined, undefined]);
  news.see("a/b/new");
  expect(marks()).toEqual(["changed", undefined, undefined, "changed", undefined, undefined]);
  told(news, "folder.deleted", "a/");
  expect(marks().every((mark) => mark === undefined)).toBe(true);
});
