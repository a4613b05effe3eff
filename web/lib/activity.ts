import { CHANGE_TYPES, type ChangeType } from "../../src/domain/changes/change-types.ts";
import { type ChangeKind, KIND_OF } from "../../src/domain/changes/kind.ts";
import { call } from "./api/api.ts";
import type { Change, CursorPage } from "./api/types.ts";
import type { MarkedOption } from "./words/options.ts";
import { mark } from "./words/text.ts";

/** What of a drive's activity is asked for; an empty text stands for all. */
export interface ActivityFilter {
  /** The id of a key, person or link. */
  readonly by: string;
  readonly what: "" | ChangeKind;
  /** A folder. */
  readonly folder: string;
  /** `today`, a time, or how long ago as `7d`. */
  readonly when: string;
}

/** The kinds that one can choose. `t()` is to show their texts. */
export const KINDS: readonly MarkedOption<ActivityFilter["what"]>[] = [
  { value: "", text: mark("Everything") },
  { value: "written", text: mark("Written") },
  { value: "deleted", text: mark("Deleted") },
  { value: "moved", text: mark("filter|Moved") },
  { value: "restored", text: mark("filter|Put back") },
  { value: "shared", text: mark("Shared") },
  { value: "commented", text: mark("Commented") },
  { value: "other", text: mark("Other") },
];

const NAMES = ["by", "what", "folder", "when"] as const;

/** The filter in an address. */
export function readFilter(query: URLSearchParams): ActivityFilter {
  const [by = "", what = "", folder = "", when = ""] = NAMES.map((name) => query.get(name) ?? "");
  return { by, what: KINDS.find(({ value }) => value === what)?.value ?? "", folder, when };
}

/** The address of a drive's activity, by its id. */
export function activityAddress(drive: string, filter: Partial<ActivityFilter>): string {
  const query = new URLSearchParams({ drive });
  for (const name of NAMES) if (filter[name]) query.set(name, filter[name]);
  return `/activity?${query}`;
}

/** What is asked of the API: see `GET /v0/changes`. */
export interface ChangeQuery {
  readonly drive: string;
  readonly filter: Partial<ActivityFilter>;
  /** Only what this request did, one by one. */
  readonly batch?: string;
}

/** The changes of a drive, the newest first. What one request did to many files is one, unless `batch` asks for it. */
export function listChanges(
  asked: ChangeQuery,
  part: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<CursorPage<Change>> {
  const { drive, filter, batch } = asked;
  const query = new URLSearchParams({ drive_id: drive, sort: "-id", ...part });
  const more = {
    by: filter.by,
    events: eventsOf(filter.what ?? ""),
    path: filter.folder,
    since: sinceOf(filter.when ?? ""),
    batch_id: batch,
  };
  for (const [name, value] of Object.entries(more)) if (value) query.set(name, value);
  if (batch === undefined) query.set("summary", "true");
  return call("GET", `/v0/changes?${query}`, { signal });
}

function eventsOf(kind: ActivityFilter["what"]): string {
  return kind === "" ? "" : CHANGE_TYPES.filter((type) => KIND_OF[type] === kind).join(",");
}

function sinceOf(when: string): string {
  return when === "today" ? new Date(new Date().setHours(0, 0, 0, 0)).toISOString() : when;
}

/** How many changes are taken back at once, at most. */
export const MOST_UNDONE = 5000;

/** What the server takes back: see `POST /v0/undo`. */
export function canUndo({ type, before, after }: Change): boolean {
  if (type === "file.updated") return before?.content_hash !== after?.content_hash;
  return UNDOABLE.has(type);
}

const UNDOABLE: ReadonlySet<ChangeType> = new Set([
  "file.created",
  "file.moved",
  "file.deleted",
  "file.restored",
  "folder.created",
  "folder.copied",
  "folder.moved",
  "folder.deleted",
  "folder.restored",
]);

/** What somebody did to files and folders since a time, as far as it can be taken back: the newest first. */
export async function undoableBy(
  drive: string,
  by: string,
  since: string,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      drive_id: drive,
      sort: "-id",
      by,
      since,
      events: "file.*,folder.*",
      limit: "1000",
    });
    if (cursor !== null) query.set("cursor", cursor);
    const page: CursorPage<Change> = await call("GET", `/v0/changes?${query}`, { signal });
    found.push(...page.data.filter(canUndo));
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < MOST_UNDONE);
  return found.slice(0, MOST_UNDONE);
}
