import { useRef } from "preact/hooks";
import { Failure } from "../failure.tsx";
import type { TreeStore } from "../../lib/tree/tree.ts";
import { TreeLine } from "./line.tsx";
import { type TreeModel, useTree } from "./use-tree.ts";
import { useRevealed, useRowsInSight } from "./use-scroll.ts";

interface TreeViewProps extends TreeModel {
  readonly label: string;
  /** The folder that the way is open to. */
  readonly revealed: string;
  /** Where a folder's link leads; without it, folders are no links but chosen. */
  readonly address?: (folder: string) => string;
}

/** A drive's folders as a tree that scrolls by itself; only what is in sight of it is in the page. */
export function TreeView(props: TreeViewProps) {
  const { store, revealed, label } = props;
  const tree = useRef<HTMLDivElement>(null);
  const { rows, active, choose, turn, press, focus } = useTree(tree, props);
  const rest = useRevealed(tree, store, rows, revealed);
  const { first, end } = useRowsInSight(tree, rows.length);

  const line = (index: number) => {
    const row = rows[index];
    if (row === undefined) return null;
    return (
      <TreeLine
        key={row.key}
        index={index}
        row={row}
        driveName={props.driveName}
        isActive={index === active}
        isCurrent={row.key === props.current}
        address={props.address}
        onChoose={choose}
        onTurn={turn}
      />
    );
  };
  const shown = Array.from({ length: end - first }, (_, place) => first + place);
  // The active row may have the focus, which must not go when it is scrolled away.
  if (active < first) shown.unshift(active);
  else if (active >= end) shown.push(active);
  return (
    <div
      ref={tree}
      role="tree"
      class="tree"
      aria-label={label}
      onKeyDown={(event) => {
        rest();
        press(event);
      }}
      onFocusIn={focus}
      onWheel={rest}
      onTouchMove={rest}
    >
      <div role="none" class="tree-lines" style={{ "--lines": rows.length }}>
        {shown.map(line)}
      </div>
    </div>
  );
}

/** Why a part of a tree could not be loaded; nothing where all could. */
export function TreeFailure({ store }: { readonly store: TreeStore }) {
  const { error } = store;
  return error === null ? null : <Failure error={error} retry={() => store.retry()} />;
}
