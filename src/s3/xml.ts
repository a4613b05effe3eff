import { setImmediate as nextTurn } from "node:timers/promises";
import { SaxesParser } from "saxes";

/** The most that an answer may hold, in bytes. A page of a list has less than half of it. */
const ANSWER_BYTES = 8 * 1024 * 1024;
/** How many bytes are parsed in one turn of the event loop. */
const TURN_BYTES = 32 * 1024;
/** How deeply elements may be nested. */
const DEPTH = 8;

/** An element of an answer, with the text that is directly in it. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement extends XmlElement {
  text: string;
  readonly children: OpenElement[];
}

/** An answer is not what S3 answers. */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
}

/** Reads an answer, in turns. Throws BadAnswer if it is no XML, too long or too deep, and what the body throws. */
export async function readXml(body: AsyncIterable<Uint8Array> | null): Promise<XmlElement> {
  const tree = new Tree();
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES) throw new BadAnswer("the answer is too long");
    for (let at = 0; at < piece.length; at += TURN_BYTES) {
      tree.write(decoder.decode(piece.subarray(at, at + TURN_BYTES), { stream: true }));
      await nextTurn();
    }
  }
  return tree.end();
}

/** Entities that an answer declares are not known, so it cannot grow. */
class Tree {
  readonly #parser = new SaxesParser();
  readonly #open: OpenElement[] = [];
  #root: XmlElement | null = null;

  constructor() {
    // The parser goes on after an error unless its handler throws.
    this.#parser.on("error", () => {
      throw new BadAnswer("the answer is no XML");
    });
    this.#parser.on("opentag", ({ name }) => {
      if (this.#open.length === DEPTH) throw new BadAnswer("the answer is nested too deeply");
      const element = { name, text: "", children: [] };
      this.#open.at(-1)?.children.push(element);
      this.#open.push(element);
    });
    this.#parser.on("closetag", () => {
      this.#root = this.#open.pop() ?? null;
    });
    const addText = (text: string) => {
      const element = this.#open.at(-1);
      if (element !== undefined) element.text += text;
    };
    this.#parser.on("text", addText);
    this.#parser.on("cdata", addText);
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): XmlElement {
    this.#parser.close();
    if (this.#root === null) throw new BadAnswer("the answer is empty");
    return this.#root;
  }
}

/** The text of the first child with a name; null if there is none. */
export function textOf({ children }: XmlElement, name: string): string | null {
  return children.find((child) => child.name === name)?.text ?? null;
}

/** The children with a name. */
export function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}
