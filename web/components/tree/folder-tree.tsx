import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useUploads } from "../upload/context.tsx";
import { plain } from "../../lib/contents/overrides.ts";
import { TreeStore } from "../../lib/tree/tree.ts";
import { t } from "../../lib/words/text.ts";
import { TreeFailure, TreeView } from "./view.tsx";

interface FolderTreeProps {
  /** The drive's id. */
  readonly drive: string;
  readonly driveName: string;
  /** The folder that is chosen. The way to the first one is open. */
  readonly chosen: string;
  readonly onChoose: (folder: string) => void;
}

/** A drive's folders, opened one below the other, to choose one of. */
export function FolderTree({ drive, driveName, chosen, onChoose }: FolderTreeProps) {
  const store = useMemo(() => new TreeStore(drive, false), [drive]);
  const uploads = useUploads();
  useLayoutEffect(() => uploads.onStored((entry) => store.put(entry)), [uploads, store]);
  const [revealed] = useState(chosen);
  return (
    <div class="tree-choice">
      <TreeFailure store={store} />
      <TreeView
        store={store}
        driveName={driveName}
        label={t("Folders of {drive}", { drive: plain(driveName) })}
        current={chosen}
        revealed={revealed}
        choosesOnTheWay
        onChoose={onChoose}
      />
    </div>
  );
}
