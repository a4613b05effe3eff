/** A piece of running text. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "emphasis" | "deleted"; readonly children: readonly Inline[] }
  /** The address is absolute, of the web or for letters. */
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] }
  /** A link to a place in the document, as `#name`, or to another file, by its path from this one. */
  | { readonly kind: "reference"; readonly to: string; readonly children: readonly Inline[] }
  /** A picture in another file; `alt` says what it shows. */
  | { readonly kind: "picture"; readonly to: string; readonly alt: string }
  /** The number of a footnote. `isFirst` where it stands for the first time: its text leads back there. */
  | { readonly kind: "note"; readonly number: number; readonly isFirst: boolean };

/** What a document is read from. */
export interface DocumentSource {
  readonly format: "markdown" | "notebook";
  readonly text: string;
}

/** A block of a Markdown document; it is plain data, as it comes from a worker. */
export type Block =
  | Heading
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | CodeBlock
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | List
  | Table
  | OutputBlock
  /** A picture in the document itself, at a `data:` address. */
  | { readonly kind: "image"; readonly address: string; readonly alt: string }
  /** What we say of the output before it, or in its place. */
  | { readonly kind: "remark"; readonly about: "hidden" | "partly-hidden" | "cut" }
  /** What the footnotes say, from number 1 on. */
  | { readonly kind: "notes"; readonly notes: readonly (readonly Block[])[] };

export interface Heading {
  readonly kind: "heading";
  readonly level: number;
  /** What links to it name; no other heading has it. */
  readonly anchor: string;
  readonly inlines: readonly Inline[];
}

export interface CodeBlock {
  readonly kind: "code";
  readonly text: string;
  /** As its author named it; empty where they did not. */
  readonly language: string;
}

/** What code of a notebook gave. */
export interface OutputBlock {
  readonly kind: "output";
  readonly text: string;
}

export interface Table {
  readonly kind: "table";
  /** Of each column where its words stand; null where the document does not say. */
  readonly sides: readonly ("left" | "center" | "right" | null)[];
  readonly rows: readonly (readonly Cell[])[];
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
    case "notes":
      return sum(block.notes, (note) => 2 + countElements(note));
    case "code":
    case "output":
    case "image":
    case "remark":
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
