/** A piece of running text. Addresses are absolute, of the web or for letters. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "emphasis" | "deleted"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

/** A block of a Markdown document; it is plain data, as it comes from a worker. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | CodeBlock
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | List
  | { readonly kind: "table"; readonly rows: readonly (readonly Cell[])[] };

export interface CodeBlock {
  readonly kind: "code";
  readonly text: string;
  /** As its author named it; empty where they did not. */
  readonly language: string;
}

export type Cell = readonly Inline[];

export interface List {
  readonly kind: "list";
  /** The first number; null in a list without numbers. */
  readonly start: number | null;
  /** Whether there is space between its paragraphs: where the source has blank lines between them. */
  readonly isLoose: boolean;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  /** Whether its box is ticked; null where it has none. */
  readonly isDone: boolean | null;
  readonly blocks: readonly Block[];
}

/** How many elements of the page show these blocks, about. */
export function countElements(blocks: readonly Block[]): number {
  return sum(blocks, (block) => 1 + countInside(block));
}

function countInside(block: Block): number {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return countInlines(block.inlines);
    case "quote":
      return countElements(block.blocks);
    case "list":
      return sum(block.items, (item) => 1 + countElements(item.blocks));
    case "table":
      return sum(block.rows, (row) => 1 + sum(row, (cell) => 1 + countInlines(cell)));
    case "code":
    case "rule":
      return 0;
  }
}

function countInlines(inlines: readonly Inline[]): number {
  return sum(inlines, (inline) => {
    const own = inline.kind === "text" ? 0 : 1;
    return own + ("children" in inline ? countInlines(inline.children) : 0);
  });
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
