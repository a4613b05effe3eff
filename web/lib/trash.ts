import { call } from "./api/api.ts";
import type { CursorPage, TrashEntry } from "./api/types.ts";
import { asError, type Failure } from "./files/many.ts";
import { type Left, Steps, type Work } from "./files/steps.ts";

/** What was put back: where it stands now. */
interface Restored {
  readonly path: string;
}

/** Puts an entry of the trash back to its place, or beside what stands there now. */
export function restoreFromTrash(id: string): Promise<Restored> {
  return call("POST", `/v0/trash/${id}/restore`, { body: {}, untilAnswered: true });
}

/** A page of what was deleted, the last first: of one drive, by its id, or of all. */
export function listTrash(
  driveId: string | null,
  part: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<CursorPage<TrashEntry>> {
  const query = new URLSearchParams({ ...(driveId === null ? {} : { drive_id: driveId }), ...part });
  return call("GET", `/v0/trash?${query}`, signal === undefined ? {} : { signal });
}

/** All that is in the trash at the moment. */
export async function wholeTrash(driveId: string | null): Promise<TrashEntry[]> {
  const all: TrashEntry[] = [];
  let cursor: string | null = null;
  do {
    const part: Record<string, string> = cursor === null ? {} : { cursor };
    const page: CursorPage<TrashEntry> = await listTrash(driveId, { limit: "1000", ...part });
    all.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

/** Few enough that progress shows. */
const AT_ONCE = 250;

/** Puts many entries back, each as `restoreFromTrash` does. Those that could not be put back. */
export async function restoreMany(
  entries: readonly Pick<TrashEntry, "id" | "path">[],
  work: Work,
): Promise<Left[]> {
  const steps = new Steps(work, entries.length);
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const some = entries.slice(start, start + AT_ONCE);
    const paths = new Map(some.map(({ id, path }) => [id, path]));
    await steps.take([...paths.values()], async (signal) => {
      const body = { trash_ids: [...paths.keys()] };
      const { results } = await call<{
        results: readonly { readonly trash_id: string; readonly error?: Failure }[];
      }>("POST", "/v0/trash/restore", { body, untilAnswered: signal });
      for (const { trash_id: id, error } of results) {
        if (error !== undefined) steps.left.push({ path: paths.get(id) ?? "", error: asError(error) });
      }
    });
  }
  return steps.left;
}
