/** A value of a JSON text. */
export interface JsonNode {
  /** What it is called where it stands, as it is written; null in an array, and of the whole. */
  readonly name: string | null;
  /** As it is written, so that numbers too long for JavaScript keep their digits. */
  readonly text: string;
  /** What is in an object or array; null for other values. */
  readonly children: readonly JsonNode[] | null;
}

interface OpenNode {
  readonly name: string | null;
  readonly start: number;
  readonly children: JsonNode[];
}

/** Names, values and ends; of more, reading them takes too long. */
const MOST_NODES = 300_000;
const MOST_DEPTH = 100;

/** Reads JSON; null for what is none, or has too many values or too deep ones to be shown one by one. */
export function parseJson(text: string): JsonNode | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  // What follows can rely on it: it is JSON.
  const top: OpenNode = { name: null, start: 0, children: [] };
  const open = [top];
  let name: string | null = null;
  let nodes = 0;
  let end = 0;
  for (let start = startOfToken(text, 0); start < text.length; start = startOfToken(text, end)) {
    end = endOfToken(text, start);
    const token = text.slice(start, end);
    const inside = open.at(-1) ?? top;
    if (token === ":") {
      // What was taken for a value is the name of the next.
      name = inside.children.pop()?.text ?? null;
    } else if (token === "{" || token === "[") {
      open.push({ name, start, children: [] });
      name = null;
    } else if (token === "}" || token === "]") {
      open.pop();
      const whole = text.slice(inside.start, end);
      open.at(-1)?.children.push({ name: inside.name, text: whole, children: inside.children });
    } else if (token !== ",") {
      inside.children.push({ name, text: token, children: null });
      name = null;
    } else continue;
    nodes += 1;
    if (nodes > MOST_NODES || open.length > MOST_DEPTH) return null;
  }
  return top.children[0] ?? null;
}

/** Of what stands between the tokens of JSON, no character is above it. */
const SPACE = 0x20;
/** Begins and ends a string. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ENDS = ",:{}[]";

// Character by character: with a regular expression, a text of many small values takes twice as long.

function startOfToken(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

function endOfToken(text: string, start: number): number {
  let at = start + 1;
  if (ENDS.includes(text.charAt(start))) return at;
  if (text.charCodeAt(start) === QUOTE) {
    while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    return at + 1;
  }
  while (at < text.length && text.charCodeAt(at) > SPACE && !ENDS.includes(text.charAt(at))) at += 1;
  return at;
}

/** A string as it is meant, and any other value as it is written. */
export function meantBy({ text }: Pick<JsonNode, "text">): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}
