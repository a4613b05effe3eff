import downIcon from "lucide-static/icons/arrow-down.svg" with { type: "text" };
import upIcon from "lucide-static/icons/arrow-up.svg" with { type: "text" };
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../components/icon.tsx";
import { useByWidth } from "../../../lib/browser/width.ts";
import type { Sort, SortKey } from "../../../lib/files/sort.ts";
import { type FolderView, LEAST_FOR_COLUMNS } from "../../../lib/files/view.ts";
import { t } from "../../../lib/words/text.ts";

interface GridHeadProps {
  readonly view: FolderView;
  readonly sort: Sort;
  /** Whether everything can be chosen, not only what is loaded. */
  readonly selectable: boolean;
  readonly onSort: (key: SortKey) => void;
  readonly chosen: "none" | "some" | "all";
  readonly onChooseAll: (all: boolean) => void;
}

/** The columns' headings; pressing one orders by it. Without columns, they stand side by side. */
export function GridHead({ view, chosen, selectable, onChooseAll, ...rest }: GridHeadProps) {
  const row = useRef<HTMLDivElement>(null);
  const isNarrow = useByWidth(row, "", (width) => width < LEAST_FOR_COLUMNS);
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.indeterminate = chosen === "some";
  }, [chosen]);
  return (
    <div role="rowgroup" class="file-head">
      <div
        ref={row}
        role="row"
        class={isNarrow || view === "tiles" ? "sort-bar" : "file-columns"}
        aria-rowindex={1}
      >
        <span role="columnheader" class="cell-check">
          <input
            ref={box}
            type="checkbox"
            aria-label={selectable ? t("Select all") : t("Select all loaded items")}
            checked={chosen === "all"}
            onChange={(event) => onChooseAll(event.currentTarget.checked)}
          />
        </span>
        <Heading {...rest} name={t("Name")} by="name" class="cell-name" />
        <Heading {...rest} name={t("Size")} by="size" class="cell-size" />
        <Heading {...rest} name={t("Modified")} by="modified" class="cell-modified" />
        <span role="columnheader" class="cell-more">
          <span class="hidden-visually">{t("Actions")}</span>
        </span>
      </div>
    </div>
  );
}

interface HeadingProps extends Pick<GridHeadProps, "sort" | "onSort"> {
  readonly name: string;
  readonly by: SortKey;
  readonly class: string;
}

function Heading({ sort, onSort, name, by, class: className }: HeadingProps) {
  const isCurrent = sort.key === by;
  const direction = sort.descending ? "descending" : "ascending";
  return (
    <span
      role="columnheader"
      class={className}
      aria-sort={isCurrent ? direction : "none"}
      data-words={by === "name" ? t("Sort by") : undefined}
    >
      <button type="button" class="heading" onClick={() => onSort(by)}>
        {name} {isCurrent && <Icon svg={sort.descending ? downIcon : upIcon} />}
      </button>
    </span>
  );
}
