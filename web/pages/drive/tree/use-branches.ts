import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useUploads } from "../../../components/upload/context.tsx";
import { parentOf } from "../../../lib/files/place.ts";
import { folderChangesOf } from "../../../lib/files/folder-changes.ts";
import { WRITTEN, type Written } from "../../../lib/written.ts";
import { TreeBranches } from "./branches.ts";
import type { TreeRow } from "./rows.ts";

/**
 * The folders of a drive, given by its id; what this page does to them shows in them.
 *
 * @param isTold see `TreeBranches`
 */
export function useBranches(drive: string, isTold = false): TreeBranches {
  const branches = useMemo(() => new TreeBranches(drive, isTold), [drive, isTold]);
  const uploads = useUploads();
  useLayoutEffect(() => {
    const hear = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      const written: Written = event.detail;
      for (const change of folderChangesOf(written)) branches.follow(change);
    };
    addEventListener(WRITTEN, hear);
    const forgetUploads = uploads.onStored(({ driveId, path }) =>
      branches.follow({ kind: "came", drive: driveId, path: parentOf(path), hasFolders: false }),
    );
    return () => {
      removeEventListener(WRITTEN, hear);
      forgetUploads();
    };
  }, [branches, uploads]);
  return branches;
}

/** What is open of a tree, kept up to date. */
export function useRows(branches: TreeBranches): readonly TreeRow[] {
  const [, redraw] = useState(0);
  useLayoutEffect(() => branches.subscribe(() => redraw((count) => count + 1)), [branches]);
  return branches.rows;
}
