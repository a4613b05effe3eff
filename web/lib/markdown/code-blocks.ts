import { languageNamed } from "../code/languages.ts";
import type { CodeText } from "../code/tokens.ts";
import type { Block, CodeBlock } from "./document.ts";

/** Code of a document in a language that is known. */
interface KnownCode extends CodeText {
  readonly block: CodeBlock;
}

/** All code of a document whose language is known, in its order. */
export function codeIn(blocks: readonly Block[]): KnownCode[] {
  return blocks.flatMap((block): KnownCode[] => {
    switch (block.kind) {
      case "code": {
        const language = languageNamed(block.language);
        return language === null ? [] : [{ block, text: block.text, language }];
      }
      case "quote":
        return codeIn(block.blocks);
      case "list":
        return block.items.flatMap((item) => codeIn(item.blocks));
      case "notes":
        return block.notes.flatMap(codeIn);
      case "heading":
      case "paragraph":
      case "output":
      case "image":
      case "remark":
      case "rule":
      case "table":
        return [];
    }
  });
}
