import { useState } from "preact/hooks";
import { plain } from "../../../lib/overrides.ts";
import { TreeFailure, TreeView } from "./view.tsx";
import { useBranches } from "./use-branches.ts";

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
  const branches = useBranches(drive);
  const [revealed] = useState(chosen);
  return (
    <div class="tree-choice">
      <TreeFailure branches={branches} />
      <TreeView
        branches={branches}
        driveName={driveName}
        label={`Folders of ${plain(driveName)}`}
        current={chosen}
        revealed={revealed}
        choosesOnTheWay
        onChoose={onChoose}
      />
    </div>
  );
}
