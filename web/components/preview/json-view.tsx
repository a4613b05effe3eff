import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { AT_FIRST, type JsonRow, jsonRows, openAtFirst } from "../../lib/contents/json-rows.ts";
import type { JsonNode } from "../../lib/contents/json.ts";
import { plural, t } from "../../lib/words/text.ts";
import { Icon } from "../icon.tsx";
import { Visible } from "../name.tsx";
import { treeCommandOf } from "../tree/keys.ts";

/** How many more rows of a long object or array are shown each time. */
const MORE = 10 * AT_FIRST;

/** A JSON text as a tree, whose objects and arrays are opened and closed. */
export function JsonView({ root }: { readonly root: JsonNode }) {
  const [folds, setFolds] = useState(() => openAtFirst(root));
  const rows = useMemo(() => jsonRows(root, folds), [root, folds]);
  const tree = useRef<HTMLDivElement>(null);
  const [activeKey, setActiveKey] = useState("");
  const active = Math.max(
    0,
    rows.findIndex(({ key }) => key === activeKey),
  );
  const turned = useRef<number | null>(null);
  const go = (index: number) => tree.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
  useLayoutEffect(() => {
    // Where more was asked for, the first of it has taken that row's place.
    if (turned.current !== null) go(turned.current);
    turned.current = null;
  }, [rows]);
  /** Opens or closes what stands in a row, or shows more of it. */
  const turn = (index: number) => {
    const row = rows[index];
    if (row === undefined) return;
    if (row.kind === "more") {
      const shown = new Map(folds.shown);
      shown.set(row.parent, (shown.get(row.parent) ?? AT_FIRST) + MORE);
      setFolds({ ...folds, shown });
    } else if (row.isOpen !== null) {
      const open = new Set(folds.open);
      if (!open.delete(row.key)) open.add(row.key);
      setFolds({ ...folds, open });
    } else return;
    turned.current = index;
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const command = treeCommandOf(event.key, rows, active);
    if (command === null) return;
    event.preventDefault();
    // The arrow keys may mean something to what is around it, too.
    event.stopPropagation();
    if (command.does === "go") go(command.row);
    else turn(active);
  };
  return (
    <div class="preview-body">
      <div ref={tree} class="json" role="tree" aria-label="JSON" onKeyDown={press}>
        {rows.map((row, index) => (
          <Line
            key={row.key}
            row={row}
            index={index}
            isActive={index === active}
            onTurn={turn}
            onFocus={() => setActiveKey(row.key)}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly row: JsonRow;
  readonly index: number;
  /** Whether the Tab key comes to it. */
  readonly isActive: boolean;
  readonly onTurn: (index: number) => void;
  readonly onFocus: () => void;
}

function Line({ row, index, isActive, onTurn, onFocus }: LineProps) {
  const item = {
    role: "treeitem" as const,
    class: "json-line",
    tabIndex: isActive ? 0 : -1,
    "aria-level": row.depth,
    "data-row": index,
    style: { "--depth": row.depth - 1 },
    onClick: () => onTurn(index),
    onFocus,
  };
  if (row.kind === "more") {
    return (
      <div {...item}>
        <span class="tree-turn" />
        <span class="soft">{t("Show more ({count} left)", { count: row.left })}</span>
      </div>
    );
  }
  const { node, isOpen, position, size } = row;
  return (
    <div {...item} aria-expanded={isOpen ?? undefined} aria-setsize={size} aria-posinset={position}>
      <span class="tree-turn">{isOpen !== null && <Icon svg={chevronIcon} />}</span>
      <span>
        {node.name === null ? (
          // In an array, its index; the whole has none.
          row.depth > 1 && <span class="soft">{position - 1}: </span>
        ) : (
          <>
            <span class="code-name">
              <Visible text={node.name} />
            </span>
            {": "}
          </>
        )}
        <Value node={node} />
      </span>
    </div>
  );
}

function Value({ node: { text, children } }: { readonly node: JsonNode }) {
  if (children === null) {
    return (
      <span class={text.startsWith('"') ? "code-string" : "code-number"}>
        <Visible text={text} />
      </span>
    );
  }
  const isObject = text.startsWith("{");
  if (children.length === 0) return <>{isObject ? "{}" : "[]"}</>;
  return (
    <>
      {isObject ? "{…}" : "[…]"}{" "}
      <span class="soft">
        {isObject
          ? plural(children.length, "json|{count} member", "json|{count} members")
          : plural(children.length, "{count} item", "{count} items")}
      </span>
    </>
  );
}
