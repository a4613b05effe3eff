import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { listFolder } from "../../lib/files.ts";
import { nameOf } from "../../lib/files-place.ts";
import { useLoad } from "../../lib/load.ts";
import { plain } from "../../lib/overrides.ts";

/** Folders shown below one; whoever has more types the path. */
const SHOWN = 500;

interface FolderTreeProps {
  readonly drive: string;
  readonly driveName: string;
  /** The folder that is chosen. */
  readonly chosen: string;
  readonly onChoose: (folder: string) => void;
}

/** A drive's folders, opened one below the other, to choose one of. */
export function FolderTree(props: FolderTreeProps) {
  return (
    <fieldset class="tree">
      <legend class="hidden-visually">Folders of {props.driveName}</legend>
      <ul>
        <Branch {...props} path="" name={props.driveName} openAtFirst />
      </ul>
    </fieldset>
  );
}

interface BranchProps extends FolderTreeProps {
  readonly path: string;
  readonly name: string;
  readonly openAtFirst?: boolean;
}

function Branch({ path, name, openAtFirst = false, ...tree }: BranchProps) {
  const [open, setOpen] = useState(openAtFirst);
  return (
    <li>
      <div class="branch">
        <button
          type="button"
          class="button quiet turn"
          aria-expanded={open}
          aria-label={`Folders in ${plain(name)}`}
          onClick={() => setOpen(!open)}
        >
          <Icon svg={chevronIcon} />
        </button>
        <label>
          <input
            type="radio"
            name="folder"
            checked={tree.chosen === path}
            onChange={() => tree.onChoose(path)}
          />
          <Icon svg={folderIcon} />
          <Name text={name} />
        </label>
      </div>
      {open && <Below {...tree} path={path} />}
    </li>
  );
}

function Below({ path, ...tree }: FolderTreeProps & { readonly path: string }) {
  const { loaded, reload } = useLoad(`${tree.drive}:${path}`, (signal) =>
    listFolder(tree.drive, path, { limit: 1, signal }),
  );
  if (loaded.state === "loading") return <p class="soft">Loading…</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { folders } = loaded.value;
  if (folders.length === 0) return <p class="soft branch-none">No folders in it</p>;
  return (
    <ul>
      {folders.slice(0, SHOWN).map((below) => (
        <Branch key={below} {...tree} path={below} name={nameOf(below)} />
      ))}
      {folders.length > SHOWN && <li class="soft">More than can be shown: type the path above.</li>}
    </ul>
  );
}
