import { useLayoutEffect, useMemo } from "preact/hooks";
import type { ApiError } from "../../../lib/api/api.ts";
import { useLoad } from "../../../lib/api/load.ts";
import type { Change, Comment, FileRecord } from "../../../lib/api/types.ts";
import { listComments, type Thread, threadsOf } from "../../../lib/comments.ts";

const NOTHING: readonly Comment[] = [];

/** What was said of a file, kept up to date. */
export interface Threads extends Readonly<Record<"open" | "resolved", readonly Thread[]>> {
  /** Why it could not be had. */
  readonly error: ApiError | null;
  readonly reload: () => void;
}

/** Tells of the changes of a drive until it is stopped by the function that it gives. */
interface Watched {
  readonly watch: (watcher: (change: Change) => void) => () => void;
}

/** Loads what was said of a file, with its places in the content that the file has. */
export function useThreads(store: Watched, { id, content_hash: content }: FileRecord): Threads {
  const { loaded, reload } = useLoad(`${id} ${content}`, async (signal) => ({
    of: id,
    comments: await listComments(id, signal),
  }));
  useLayoutEffect(
    () => store.watch((each) => each.file_id === id && each.type.startsWith("comment.") && reload()),
    [store, id, reload],
  );
  // What was said of the file before is not said of this one.
  const comments = loaded.state === "ready" && loaded.value.of === id ? loaded.value.comments : NOTHING;
  const { open, resolved } = useMemo(() => threadsOf(comments), [comments]);
  return { open, resolved, error: loaded.state === "failed" ? loaded.error : null, reload };
}
