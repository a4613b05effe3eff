import { createContext } from "preact";
import type { CodeTokens } from "../../../lib/code/tokens.ts";
import type { CodeBlock } from "../../../lib/markdown/document.ts";

/** What the parts of a document need of all of it. */
interface DocumentParts {
  /** Of the file that it is read from. */
  readonly path: string;
  /** Of its code, as far as it is known. */
  readonly tokens: ReadonlyMap<CodeBlock, CodeTokens>;
  /** Goes to a place in it by its `data-anchor`. Not by an `id`: the page has ids of its own. */
  readonly go: (anchor: string) => void;
}

export const DocumentContext = createContext<DocumentParts>({ path: "", tokens: new Map(), go: () => {} });

/** The anchors of a footnote's text, and of the first place of its number. No heading has a colon in its own. */
export const noteAnchor = (number: number): string => `note:${number}`;
export const markAnchor = (number: number): string => `mark:${number}`;
