import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { CodeTokens } from "../../lib/code/tokens.ts";
import { rowsOf, type TextBlock, textBlocks } from "../../lib/contents/long-text.ts";
import { codeIn } from "../../lib/markdown/code-blocks.ts";
import type { Block, Cell, CodeBlock, Inline, List, ListItem } from "../../lib/markdown/document.ts";
import { Code, useSeen, useTokens } from "./code.tsx";

const LINE_HEIGHT_EM = 1.5;
/** Longer than a paragraph that somebody wrote to be read. */
const MOST_IN_PIECE = 2000;

/** The tokens of the code in a document. */
const TokensContext = createContext<ReadonlyMap<CodeBlock, CodeTokens>>(new Map());

/** A Markdown document as its author meant it to look; HTML in it is text, and pictures are links. */
export function MarkdownView({ blocks }: { readonly blocks: readonly Block[] }) {
  const codes = useMemo(() => codeIn(blocks), [blocks]);
  const found = useTokens(codes);
  const tokens = useMemo(
    () =>
      new Map(
        found.flatMap((each, at) => codes.slice(at, at + 1).map(({ block }) => [block, each] as const)),
      ),
    [found],
  );
  return (
    <div class="preview-body" tabIndex={0} role="region" aria-label="Document">
      <article class="prose">
        <TokensContext.Provider value={tokens}>
          <Blocks blocks={blocks} />
        </TokensContext.Provider>
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
      return <Heading level={block.level}>{block.inlines.map(inlineNode)}</Heading>;
    case "paragraph":
      return <p>{block.inlines.map(inlineNode)}</p>;
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
    <input type="checkbox" checked={isDone} disabled aria-label={isDone ? "Done" : "Open"} />
  );
  return (
    <li class={isDone === null ? undefined : "prose-task"}>
      {blocks.map((block, at) => {
        if (block.kind !== "paragraph") return blockNode(block);
        const words = [at === 0 && box, ...block.inlines.map(inlineNode)];
        return isLoose ? <p>{words}</p> : words;
      })}
    </li>
  );
}

function TableNode({ rows: [names = [], ...rows] }: { readonly rows: readonly (readonly Cell[])[] }) {
  return (
    <div class="prose-wide" tabIndex={0} role="region" aria-label="Table">
      <table class="preview-table">
        <thead>
          <tr>
            {names.map((name, at) => (
              <th key={at} scope="col">
                {name.map(inlineNode)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell.map(inlineNode)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineNode(inline: Inline): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return <Words text={inline.text} />;
    case "code":
      return (
        <code>
          <Words text={inline.text} />
        </code>
      );
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

/** Code, of which a browser lays out what is in sight. */
function CodeLines({ code }: { readonly code: CodeBlock }) {
  const { blocks } = useMemo(() => textBlocks(code.text, Infinity), [code]);
  const tokens = useContext(TokensContext).get(code);
  return (
    <pre tabIndex={0}>
      {blocks.map((block, at) => (
        <Lines key={at} block={block} tokens={tokens} />
      ))}
    </pre>
  );
}

interface LinesProps {
  readonly block: TextBlock;
  readonly tokens: CodeTokens | undefined;
}

function Lines({ block, tokens }: LinesProps) {
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const size = `auto ${block.longest}ch auto ${block.lines * LINE_HEIGHT_EM}em`;
  return (
    <div ref={ref} class="prose-lines" style={{ containIntrinsicSize: size }}>
      <Code block={block} tokens={isSeen ? tokens : undefined} />
    </div>
  );
}

/** A text that is too long to be laid out as one is several, below each other. */
function Words({ text }: { readonly text: string }) {
  if (text.length <= MOST_IN_PIECE) return <>{text}</>;
  return (
    <>
      {rowsOf(text, MOST_IN_PIECE).map((row, at) => (
        <span key={at} class="prose-row">
          {row}
        </span>
      ))}
    </>
  );
}
