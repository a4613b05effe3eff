import { BoundedLexer } from "./bounded-lexer.ts";
import { type Block, countElements } from "./document.ts";
import { MOST_ELEMENTS } from "./parse.ts";
import { BlockReader } from "./read-blocks.ts";

/** Of all cells and outputs together, without pictures; more takes a browser seconds to lay out. */
const MOST_CHARACTERS = 1024 * 1024;
/** Of one output. */
const MOST_IN_OUTPUT = 50_000;
/** Of the words for a picture. */
const MOST_IN_ALT = 200;
/** Its letters alone, so that nothing else can be in the address that they become part of. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The colours of a terminal, as Python puts them into errors. */
// oxlint-disable-next-line no-control-regex
const TERMINAL_CODE = /\u001b\[[\d;]*[A-Za-z]/g;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a Jupyter notebook (nbformat 4) as one document: its Markdown, its code, and what the code gave, as text or as
 * pictures. HTML and scripts that it gave are named, and not shown. Null for what is no notebook, or is too complex.
 */
export function parseNotebook(text: string): Block[] | null {
  try {
    const notebook = fieldsOf(JSON.parse(text));
    const cells = notebook["cells"];
    if (!Array.isArray(cells)) return null;
    const reader = new NotebookReader(languageOf(fieldsOf(notebook["metadata"])));
    const blocks = [...cells.flatMap((cell: unknown) => reader.read(fieldsOf(cell))), ...reader.notes()];
    return countElements(blocks) > MOST_ELEMENTS ? null : blocks;
  } catch (error) {
    // No JSON, or a bound of the readers, or the end of the stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

function languageOf(metadata: Fields): string {
  const named = fieldsOf(metadata["language_info"])["name"] ?? fieldsOf(metadata["kernelspec"])["language"];
  return typeof named === "string" ? named : "python";
}

class NotebookReader {
  readonly #language: string;
  readonly #markdown = new BlockReader();
  #left = MOST_CHARACTERS;

  constructor(language: string) {
    this.#language = language;
  }

  /** @throws RangeError where there is too much in the notebook */
  read(cell: Fields): Block[] {
    const source = this.#counted(textOf(cell["source"]));
    if (cell["cell_type"] === "markdown") return this.#markdownOf(source);
    if (cell["cell_type"] !== "code")
      return source === "" ? [] : [{ kind: "code", text: source, language: "" }];
    const { outputs } = cell;
    const given = Array.isArray(outputs)
      ? outputs.flatMap((each: unknown) => this.#outputOf(fieldsOf(each)))
      : [];
    return source === "" ? given : [{ kind: "code", text: source, language: this.#language }, ...given];
  }

  notes(): Block[] {
    return this.#markdown.notes();
  }

  #outputOf(output: Fields): Block[] {
    switch (output["output_type"]) {
      case "stream":
        return this.#textOutput(textOf(output["text"]));
      case "error":
        return this.#textOutput(textOf(output["traceback"], "\n") || textOf(output["evalue"]));
      case "display_data":
      case "execute_result":
        return this.#richOutput(fieldsOf(output["data"]));
      default:
        return [];
    }
  }

  /** The best of the forms that an output is given in: a picture, else Markdown, else text. */
  #richOutput(data: Fields): Block[] {
    const plain = textOf(data["text/plain"]);
    for (const type of ["image/png", "image/jpeg"]) {
      const content = textOf(data[type]).replaceAll(/\s+/g, "");
      if (BASE64.test(content))
        return [
          { kind: "image", address: `data:${type};base64,${content}`, alt: plain.slice(0, MOST_IN_ALT) },
        ];
    }
    const markdown = textOf(data["text/markdown"]);
    if (markdown !== "") return this.#markdownOf(this.#counted(markdown));
    const isMore = Object.keys(data).some((type) => type !== "text/plain");
    if (plain === "") return isMore ? [{ kind: "remark", about: "hidden" }] : [];
    const text = this.#textOutput(plain);
    return isMore ? [...text, { kind: "remark", about: "partly-hidden" }] : text;
  }

  #textOutput(text: string): Block[] {
    const shown = text.replaceAll(TERMINAL_CODE, "").replace(/\n$/, "");
    if (shown === "") return [];
    const start: Block = { kind: "output", text: this.#counted(shown.slice(0, MOST_IN_OUTPUT)) };
    return shown.length > MOST_IN_OUTPUT ? [start, { kind: "remark", about: "cut" }] : [start];
  }

  #markdownOf(source: string): Block[] {
    return this.#markdown.read(new BoundedLexer().lex(source));
  }

  #counted(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0) throw new RangeError("too much text");
    return text;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A text of a notebook, which may be written as its lines. */
function textOf(value: unknown, between = ""): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join(between) : "";
}
