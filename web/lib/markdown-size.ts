import type { Block, ListItem } from "./markdown.ts";
import { type Inline, parseInline } from "./markdown-inline.ts";

/** Whether more than `most` elements show the blocks: many take a browser far longer than to read them. */
export function isOverlong(blocks: readonly Block[], most: number): boolean {
  let count = 0;
  for (const _ of elementsOf(blocks)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** What becomes an element of its own, one by one, so that nobody has to wait for all. */
function* elementsOf(blocks: readonly Block[]): Generator<Block | ListItem | Inline | string> {
  for (const block of blocks) {
    yield block;
    switch (block.kind) {
      case "heading":
      case "paragraph":
        yield* inlinesOf(parseInline(block.text));
        break;
      case "quote":
        yield* elementsOf(block.blocks);
        break;
      case "list":
        for (const item of block.items) {
          yield item;
          yield* elementsOf(item.blocks);
        }
        break;
      case "table":
        for (const cell of block.rows.flat()) {
          yield cell;
          yield* inlinesOf(parseInline(cell));
        }
        break;
      case "code":
      case "rule":
        break;
    }
  }
}

function* inlinesOf(inlines: readonly Inline[]): Generator<Inline> {
  for (const inline of inlines) {
    if (inline.kind !== "text") yield inline;
    if ("children" in inline) yield* inlinesOf(inline.children);
  }
}
