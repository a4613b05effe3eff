import type { ComponentChildren, VNode } from "preact";
import type { Block, List, ListItem, Table } from "../../../lib/markdown/document.ts";
import { mark, t } from "../../../lib/words/text.ts";
import { CodeLines } from "./code-lines.tsx";
import { markAnchor, noteAnchor } from "./context.ts";
import { Inlines, Jump } from "./inlines.tsx";

/** What is said of an output of a notebook. */
const REMARKS = {
  hidden: mark("This output is HTML, a script or another form that is not shown here."),
  "partly-hidden": mark("This output also has HTML, a script or another form that is not shown here."),
  cut: mark("Only the start of this output is shown."),
} as const;

/** The blocks of a document, one below the other. */
export function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return <>{blocks.map(blockNode)}</>;
}

function blockNode(block: Block): VNode {
  switch (block.kind) {
    case "heading":
      return (
        <Heading level={block.level} anchor={block.anchor}>
          <Inlines inlines={block.inlines} />
        </Heading>
      );
    case "paragraph":
      return (
        <p>
          <Inlines inlines={block.inlines} />
        </p>
      );
    case "code":
      return <CodeLines code={block} />;
    case "rule":
      return <hr />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "list":
      return <ListNode list={block} />;
    case "table":
      return <TableNode table={block} />;
    case "output":
      return (
        <div class="prose-output">
          <CodeLines code={block} />
        </div>
      );
    case "image":
      return (
        <div>
          <img src={block.address} alt={block.alt} />
        </div>
      );
    case "remark":
      return <p class="soft">{t(REMARKS[block.about])}</p>;
    case "notes":
      return <Notes notes={block.notes} />;
  }
}

interface HeadingProps {
  readonly level: number;
  readonly anchor: string;
  readonly children: ComponentChildren;
}

/** The page has a heading of its own above, so that a document's begin two levels below it. */
function Heading({ level, anchor, children }: HeadingProps) {
  switch (level) {
    case 1:
      return (
        <h3 class="prose-1" data-anchor={anchor}>
          {children}
        </h3>
      );
    case 2:
      return (
        <h4 class="prose-2" data-anchor={anchor}>
          {children}
        </h4>
      );
    case 3:
      return (
        <h5 class="prose-3" data-anchor={anchor}>
          {children}
        </h5>
      );
    default:
      return <h6 data-anchor={anchor}>{children}</h6>;
  }
}

function ListNode({ list: { start, isLoose, items } }: { readonly list: List }) {
  const nodes = items.map((item, at) => <ItemNode key={at} item={item} isLoose={isLoose} />);
  return start === null ? <ul>{nodes}</ul> : <ol start={start}>{nodes}</ol>;
}

interface ItemNodeProps {
  readonly item: ListItem;
  readonly isLoose: boolean;
}

/** An item, whose box is on the line of its first words. In a tight list paragraphs have no space around them. */
function ItemNode({ item: { isDone, blocks }, isLoose }: ItemNodeProps) {
  const box = isDone !== null && (
    <input
      type="checkbox"
      checked={isDone}
      disabled
      aria-label={isDone ? t("state|Done") : t("state|Open")}
    />
  );
  return (
    <li class={isDone === null ? undefined : "prose-task"}>
      {blocks.map((block, at) => {
        if (block.kind !== "paragraph") return blockNode(block);
        const words = [at === 0 && box, <Inlines key="words" inlines={block.inlines} />];
        return isLoose ? <p>{words}</p> : words;
      })}
    </li>
  );
}

function TableNode({ table }: { readonly table: Table }) {
  const {
    rows: [names = [], ...rows],
  } = table;
  const styles = table.sides.map((side) => (side === null ? {} : { style: { textAlign: side } }));
  return (
    <div class="prose-wide" tabIndex={0} role="region" aria-label={t("Table")}>
      <table class="preview-table">
        <thead>
          <tr>
            {names.map((name, at) => (
              <th key={at} scope="col" {...styles[at]}>
                <Inlines inlines={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} {...styles[column]}>
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the footnotes say, each with the way back to where it is named. */
function Notes({ notes }: { readonly notes: readonly (readonly Block[])[] }) {
  return (
    <section class="prose-notes" aria-label={t("Footnotes")}>
      <ol>
        {notes.map((blocks, at) => (
          <li key={at} data-anchor={noteAnchor(at + 1)}>
            <Blocks blocks={blocks} />{" "}
            <Jump anchor={markAnchor(at + 1)} label={t("Back to the text")}>
              ↩
            </Jump>
          </li>
        ))}
      </ol>
    </section>
  );
}
