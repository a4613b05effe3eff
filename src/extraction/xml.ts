import { SaxesParser } from "saxes";
import { EXTRACTION_LIMITS, Refused } from "../domain/contents/extraction.ts";
import { encodingsFor } from "../domain/contents/texts/text-encoding.ts";

/** The attributes of an element, by their names as written. */
export type Attributes = Readonly<Record<string, string>>;

/** What is done with the elements and texts of a part, in order. Names are without their prefixes. */
interface XmlReader {
  /** Elements that are passed over with all that is in them. */
  readonly ignored?: readonly string[];
  /** Elements whose text is read; if left out, any. */
  readonly texts?: readonly string[];
  readonly open?: Readonly<Record<string, (attributes: Attributes) => void>>;
  readonly close?: Readonly<Record<string, () => void>>;
  readonly text?: (text: string) => void;
}

/**
 * Reads XML. Entities that it declares are not known, so that they cannot grow, and nothing outside is loaded. Throws
 * Refused if it is malformed, or nested too deeply.
 */
export function readXml(pieces: Iterable<Uint8Array>, reader: XmlReader): void {
  const parser = new SaxesParser();
  const open = new Map(Object.entries(reader.open ?? {}));
  const close = new Map(Object.entries(reader.close ?? {}));
  const { ignored = [], texts = null } = reader;
  let [depth, ignoredDepth, textDepth] = [0, 0, 0];
  // The parser goes on after an error unless its handler throws.
  parser.on("error", () => {
    throw new Refused("damaged");
  });
  parser.on("opentag", ({ name: written, attributes }) => {
    const name = localName(written);
    depth += 1;
    if (depth > EXTRACTION_LIMITS.depth) throw new Refused("damaged");
    if (ignored.includes(name)) ignoredDepth += 1;
    if (ignoredDepth > 0) return;
    if (texts?.includes(name)) textDepth += 1;
    open.get(name)?.(attributes);
  });
  parser.on("closetag", ({ name: written }) => {
    const name = localName(written);
    depth -= 1;
    if (ignoredDepth === 0) {
      if (texts?.includes(name)) textDepth -= 1;
      close.get(name)?.();
    }
    if (ignored.includes(name)) ignoredDepth -= 1;
  });
  const text = (piece: string) => {
    if (ignoredDepth === 0 && (texts === null || textDepth > 0)) reader.text?.(piece);
  };
  parser.on("text", text);
  parser.on("cdata", text);
  let decoder: TextDecoder | null = null;
  for (const piece of pieces) {
    decoder ??= new TextDecoder(encodingsFor(piece)[0]);
    parser.write(decoder.decode(piece, { stream: true }));
  }
  parser.write(decoder?.decode() ?? "").close();
}

/** An attribute of another namespace, by its name without the prefix: `r:id`. */
export function prefixed(attributes: Attributes, name: string): string | null {
  const found = Object.entries(attributes).find(([written]) => written.endsWith(`:${name}`));
  return found?.[1] ?? null;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
