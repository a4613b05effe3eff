import { computed, signal } from "@preact/signals-core";
import { marksAfter } from "../../src/domain/changes/marks.ts";
import { call } from "./api/api.ts";
import type { Change, News } from "./api/types.ts";

/** Where somebody was, and what is new to them, as long as the tab is open. */
export class Visits {
  readonly #me: string;
  readonly #known = new Map<string, DriveNews>();
  /** The last visit that is being noted: what is new is asked for after it. */
  #noting: Promise<void> = Promise.resolve();

  /** @param me their id: what they do themselves is no news */
  constructor(me: string) {
    this.#me = me;
  }

  /** What others did in the drives where one was before, since then. */
  async list(abort: AbortSignal, drive?: string): Promise<readonly News[]> {
    await this.#noting.catch(() => {});
    const query = drive === undefined ? "" : `?${new URLSearchParams({ drive_id: drive })}`;
    return (await call<{ data: News[] }>("GET", `/v0/news${query}`, { signal: abort })).data;
  }

  /** Remembers that one has seen all that has happened in a drive so far. */
  note(drive: string): Promise<void> {
    this.#noting = call("PUT", `/v0/drives/${drive}/visit`, { keepalive: true });
    return this.#noting;
  }

  /** What is new in a drive, by its id: what is marked stays so for whoever comes back. */
  of(drive: string): DriveNews {
    const news = this.#known.get(drive) ?? new DriveNews(drive, this.#me, this);
    this.#known.set(drive, news);
    return news;
  }
}

/** How something differs from what one saw last. */
export type Mark = "new" | "changed";

/** What is new to somebody in a drive that they look at. They have seen it all when they leave. */
export class DriveNews {
  /** What others did before one came; null for nothing, or once it is dismissed. */
  readonly before = signal<News | null>(null);
  readonly #drive: string;
  readonly #me: string;
  readonly #visits: Pick<Visits, "list" | "note">;
  readonly #marks = signal<ReadonlyMap<string, boolean>>(new Map());
  /** The folders in which something is marked. */
  readonly #folders = computed(() => new Set([...this.#marks.value.keys()].flatMap(foldersOf)));
  #isNoted = false;

  constructor(drive: string, me: string, visits: Pick<Visits, "list" | "note">) {
    this.#drive = drive;
    this.#me = me;
    this.#visits = visits;
  }

  /** Asks what happened since one was there last. What is marked already stays so. */
  async load(abort: AbortSignal): Promise<void> {
    this.#isNoted = false;
    const [news] = await this.#visits.list(abort, this.#drive);
    if (news === undefined) return;
    this.before.value = news;
    const marked = (news.marked ?? []).map(({ path, new: isNew }) => [path, isNew] as const);
    this.#marks.value = new Map([...this.#marks.value, ...marked]);
  }

  /** Something happened meanwhile. */
  tell(change: Change): void {
    const { type, path, previous_path: previousPath, by } = change;
    const isOwn = () => by?.type === "user" && by.id === this.#me;
    this.#marks.value = marksAfter(this.#marks.value, [{ type, path, previousPath }], isOwn);
    this.#isNoted = false;
  }

  /** The mark of a file, or of a folder and what is in it; undefined for none. */
  markOf(path: string): Mark | undefined {
    const isNew = this.#marks.value.get(path);
    if (isNew === undefined) return this.#folders.value.has(path) ? "changed" : undefined;
    return isNew ? "new" : "changed";
  }

  /** One has looked at a file or folder. */
  see(path: string): void {
    if (!this.#marks.value.has(path)) return;
    const left = new Map(this.#marks.value);
    left.delete(path);
    this.#marks.value = left;
  }

  /** One wants to hear no more of it. */
  async dismiss(): Promise<void> {
    await this.#visits.note(this.#drive);
    this.before.value = null;
    this.#marks.value = new Map();
  }

  /** One goes away for now. What cannot be noted is news once more. */
  leave(): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    this.#visits.note(this.#drive).catch(() => {
      this.#isNoted = false;
    });
  }
}

/** The folders that a path is in, with the slash at the end of each, but for the root. */
function foldersOf(path: string): string[] {
  const names = path.replace(/\/$/, "").split("/").slice(0, -1);
  return names.map((_, at) => `${names.slice(0, at + 1).join("/")}/`);
}
