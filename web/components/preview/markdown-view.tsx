import type { ComponentChildren, VNode } from "preact";
import type { Block, ListItem } from "../../lib/markdown.ts";
import { type Inline, parseInline } from "../../lib/markdown-inline.ts";

/** A Markdown document as its author meant it to look; HTML in it is text, and pictures are links. */
export function MarkdownView({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <div class="preview-body" tabIndex={0} role="region" aria-label="Document">
      <article class="prose">
        <Blocks blocks={blocks} />
      </article>
    </div>
  );
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return <>{blocks.map(blockNode)}</>;
}

function blockNode(block: Block): VNode {
  switch (block.kind) {
    case "heading":
      return <Heading level={block.level}>{inlineNodes(block.text)}</Heading>;
    case "paragraph":
      return <p>{inlineNodes(block.text)}</p>;
    case "code":
      return <pre tabIndex={0}>{block.text}</pre>;
    case "rule":
      return <hr />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "list":
      return block.start === null ? (
        <ul>{block.items.map(itemNode)}</ul>
      ) : (
        <ol start={block.start}>{block.items.map(itemNode)}</ol>
      );
    case "table":
      return <TableNode rows={block.rows} />;
  }
}

/** The page has a heading of its own above, so that a document's begin two levels below it. */
function Heading({ level, children }: { readonly level: number; readonly children: ComponentChildren }) {
  switch (level) {
    case 1:
      return <h3 class="prose-1">{children}</h3>;
    case 2:
      return <h4 class="prose-2">{children}</h4>;
    case 3:
      return <h5 class="prose-3">{children}</h5>;
    default:
      return <h6>{children}</h6>;
  }
}

function itemNode({ isDone, blocks }: ListItem): VNode {
  const [first, ...rest] = blocks;
  return (
    <li class={isDone === null ? undefined : "prose-task"}>
      {isDone !== null && (
        <input type="checkbox" checked={isDone} disabled aria-label={isDone ? "Done" : "Open"} />
      )}
      {first?.kind === "paragraph" ? inlineNodes(first.text) : first !== undefined && blockNode(first)}
      <Blocks blocks={rest} />
    </li>
  );
}

function TableNode({ rows: [names = [], ...rows] }: { readonly rows: readonly (readonly string[])[] }) {
  return (
    <div class="prose-wide" tabIndex={0} role="region" aria-label="Table">
      <table class="preview-table">
        <thead>
          <tr>
            {names.map((name, at) => (
              <th key={at} scope="col">
                {inlineNodes(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inlineNodes(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineNodes(text: string): ComponentChildren {
  return parseInline(text).map(inlineNode);
}

function inlineNode(inline: Inline): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return <code>{inline.text}</code>;
    case "break":
      return <br />;
    case "strong":
      return <strong>{inline.children.map(inlineNode)}</strong>;
    case "emphasis":
      return <em>{inline.children.map(inlineNode)}</em>;
    case "deleted":
      return <del>{inline.children.map(inlineNode)}</del>;
    case "link":
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {inline.children.map(inlineNode)}
        </a>
      );
  }
}
