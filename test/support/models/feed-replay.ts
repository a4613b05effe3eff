import { expect } from "bun:test";
import type { ChangeRecord } from "../../../src/http/records/change-schemas.ts";
import type { Client } from "../server/client.ts";
import { changesPage } from "../peers/event-reader.ts";

/**
 * A reader of the feed of one drive, which keeps what its changes come to: the hashes of the files by path. It must see
 * every change once.
 */
export class FeedReplay {
  readonly files = new Map<string, string>();
  readonly #drive: string;
  readonly #seen = new Set<string>();
  /** What folders held that are in the trash, by the ids of their entries. */
  readonly #trash = new Map<string, Map<string, string>>();
  #cursor: string | null = null;

  constructor(drive: string) {
    this.#drive = drive;
  }

  /** Reads what came since the last time. Returns how many changes. */
  async read(client: Client): Promise<number> {
    for (let count = 0; ;) {
      const cursor = this.#cursor === null ? "" : `&cursor=${this.#cursor}`;
      const page = await changesPage(client, `drive_id=${this.#drive}&limit=1000${cursor}`);
      for (const change of page.data) this.#apply(change);
      this.#cursor = page.next_cursor;
      count += page.data.length;
      if (!page.has_more) return count;
    }
  }

  #apply(change: ChangeRecord): void {
    const { id, type, path, previous_path: before, after, ref } = change;
    expect([id, this.#seen.has(id)]).toEqual([id, false]);
    this.#seen.add(id);
    if (type === "file.deleted") {
      expect([type, path, this.files.delete(path)]).toEqual([type, path, true]);
    } else if (type.startsWith("file.")) {
      if (type !== "file.updated") expect([type, path, this.files.has(path)]).toEqual([type, path, false]);
      if (before !== null) expect([type, before, this.files.delete(before)]).toEqual([type, before, true]);
      this.files.set(path, after?.content_hash ?? "none");
    } else if (type === "folder.copied" || type === "folder.moved") {
      const moved = this.#in(before ?? "");
      if (type === "folder.moved") this.#remove(before ?? "");
      this.#put(path, moved);
    } else if (type === "folder.deleted") {
      if (ref !== null) this.#trash.set(ref, this.#in(path));
      this.#remove(path);
    } else if (type === "folder.restored") {
      this.#put(path, this.#trash.get(ref ?? "") ?? new Map());
    }
  }

  /** The files in a folder, by their paths in it. */
  #in(folder: string): Map<string, string> {
    const found = [...this.files].filter(([path]) => path.startsWith(folder));
    return new Map(found.map(([path, hash]) => [path.slice(folder.length), hash]));
  }

  #remove(folder: string): void {
    for (const path of this.files.keys()) if (path.startsWith(folder)) this.files.delete(path);
  }

  #put(folder: string, files: ReadonlyMap<string, string>): void {
    for (const [path, hash] of files) this.files.set(folder + path, hash);
  }
}

/** The hashes of all files of a drive by path, as its list says. */
export async function listed(client: Client, drive: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: { path: string; content_hash: string }[]; next_cursor: string | null } =
      await client.get(
        `/v0/files?drive_id=${drive}&limit=1000${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
    for (const { path, content_hash } of page.data) files.set(path, content_hash);
    cursor = page.next_cursor;
  }
  return files;
}
