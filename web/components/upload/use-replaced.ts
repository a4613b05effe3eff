import { useLayoutEffect } from "preact/hooks";
import { describeEntries, type FileEntry } from "../../lib/files.ts";
import type { UploadQueue } from "../../lib/uploads.ts";
import { restoreBefore } from "../../lib/versions.ts";
import { t } from "../../lib/words/text.ts";
import { say } from "../toast.tsx";

/** Says which files were replaced once all are sent, and offers to undo it where that is possible. */
export function useReplaced(queue: UploadQueue, canUndo: boolean): void {
  useLayoutEffect(() => {
    let replaced: FileEntry[] = [];
    const forget = queue.onStored((stored, isReplacement) => {
      if (isReplacement && stored.kind === "file") replaced.push(stored);
    });
    const end = queue.subscribe(() => {
      if (queue.isBusy || replaced.length === 0) return;
      const files = replaced;
      replaced = [];
      const said = t("Replaced {what}.", { what: describeEntries(files) });
      say(said, canUndo ? { undo: () => putBack(queue, files) } : {});
    });
    return () => {
      forget();
      end();
    };
  }, [queue, canUndo]);
}

/** Gives files the contents again that they had before. Stops at the first that has changed since. */
async function putBack(queue: UploadQueue, files: readonly FileEntry[]): Promise<string> {
  for (const { file } of files) queue.changed(await restoreBefore(file));
  return t("Put back what {what} held before.", { what: describeEntries(files) });
}
