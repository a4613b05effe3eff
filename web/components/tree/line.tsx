import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import openIcon from "lucide-static/icons/folder-open.svg" with { type: "text" };
import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { nameOf } from "../../lib/files.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { opensInPlace } from "../../lib/browser/router.tsx";
import type { TreeRow } from "../../lib/tree/tree-rows.ts";
import { t } from "../../lib/words/text.ts";

interface TreeLineProps {
  readonly index: number;
  readonly row: TreeRow;
  readonly driveName: string;
  /** Whether the Tab key comes to it. */
  readonly isActive: boolean;
  readonly isCurrent: boolean;
  readonly address: ((folder: string) => string) | undefined;
  readonly onChoose: (index: number) => void;
  /** Opens or closes it. */
  readonly onTurn: (index: number) => void;
}

/** One line of a tree: a folder, or what stands for those that are not shown. */
export function TreeLine(props: TreeLineProps) {
  const { index, row, isActive } = props;
  const item = {
    role: "treeitem" as const,
    tabIndex: isActive ? 0 : -1,
    "aria-level": row.depth,
    "data-row": index,
    style: { "--line": index, "--depth": row.depth - 1 },
  };
  if (row.kind === "folder") return <FolderLine {...props} row={row} item={item} />;
  return (
    <div {...item} class={`tree-line tree-tail tree-${row.kind}`} onClick={() => props.onChoose(index)}>
      {tailWords(row)}
    </div>
  );
}

interface FolderLineProps extends TreeLineProps {
  readonly row: Extract<TreeRow, { kind: "folder" }>;
  readonly item: object;
}

function FolderLine({ row, item, index, driveName, isCurrent, address, onChoose, onTurn }: FolderLineProps) {
  const name = row.path === "" ? driveName : nameOf(row.path);
  const more = {
    ...item,
    class: "tree-line",
    title: plain(name),
    "aria-setsize": row.size,
    "aria-posinset": row.position ?? undefined,
    "aria-expanded": row.isOpen ?? undefined,
  };
  const turn = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onTurn(index);
  };
  const inside = (
    <>
      <span class="tree-turn" {...(row.isOpen === null ? {} : { onClick: turn })}>
        {row.isOpen !== null && <Icon svg={chevronIcon} />}
      </span>
      <Icon svg={row.path === "" ? driveIcon : row.isOpen === true ? openIcon : folderIcon} />
      <Name text={name} />
    </>
  );
  if (address === undefined) {
    return (
      <div {...more} aria-selected={isCurrent} onClick={() => onChoose(index)}>
        {inside}
      </div>
    );
  }
  const follow = (event: MouseEvent) => {
    if (!opensInPlace(event)) return;
    event.preventDefault();
    onChoose(index);
  };
  return (
    <a
      {...more}
      data-folder={row.path}
      href={address(row.path)}
      aria-current={isCurrent ? "page" : undefined}
      onClick={follow}
    >
      {inside}
    </a>
  );
}

function tailWords({ kind, missing }: Extract<TreeRow, { missing: number | null }>): string {
  switch (kind) {
    case "loading":
      return t("Loading…");
    case "failed":
      return t("Couldn't load. Try again");
    case "more":
      return missing === null ? t("Show more") : t("Show more ({count} left)", { count: missing });
  }
}
