/** Where a text stops being JSON. */
interface JsonFault {
  /** The index of the first character that cannot stand there; the text's length if it ends too early. */
  readonly at: number;
  readonly advice: string;
}

/** A token: a bracket, comma or colon as it is; otherwise its kind. */
interface Token {
  readonly kind: string;
  readonly end: number;
}

/**
 * What may follow: a value, also in an array that may be empty; a name, also in an object; a colon; what ends a value.
 */
type State = "value" | "first value" | "name" | "first name" | "colon" | "end";

const QUOTES = "put names and texts in double quotes";
const ADVICE: Readonly<Record<State, string>> = {
  value: "a value is missing",
  "first value": "a value is missing",
  name: QUOTES,
  "first name": QUOTES,
  colon: "a colon is missing after the name",
  end: "a comma or a closing bracket is missing",
};
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** How many characters are looked at: they are read one by one, while everybody else waits. */
const LOOKED_AT = 64 * 1024;

/** Completes the sentence "{field} ..." for a text that `JSON.parse` refuses. */
export function malformedJson(text: string): string {
  const other = otherThanJson(text);
  if (other !== null) return other;
  const fault = faultIn(text);
  if (fault === null) return `is malformed JSON, after its first ${LOOKED_AT} characters`;
  const lines = text.slice(0, fault.at).split("\n");
  const column = (lines.at(-1) ?? "").length + 1;
  return `is malformed JSON at line ${lines.length}, column ${column}: ${fault.advice}`;
}

/**
 * Completes the sentence "{field} ..." for what is often sent in place of JSON; null for anything else.
 *
 * @param start the start of the text is enough
 */
export function otherThanJson(start: string): string | null {
  const text = start.slice(0, 256).replace(/^[ \t\n\r]+/, "");
  if (/^[\w.%+[\]-]+=/.test(text))
    return 'looks like a form, but must be JSON: send {"name": "value"} instead of name=value';
  if (text.startsWith("--"))
    return "looks like a multipart form, but must be JSON. A route that takes forms needs the form's own Content-Type";
  return text.startsWith("\ufeff") ? "starts with a byte order mark: send it without" : null;
}

/** Finds the first token that JSON (RFC 8259) does not allow; null if it is not among those that are looked at. */
function faultIn(text: string): JsonFault | null {
  const open: string[] = [];
  let state: State = "value";
  for (let at = 0; ;) {
    while (at <= LOOKED_AT && isSpace(text[at])) at++;
    if (at > LOOKED_AT) return null;
    if (at >= text.length)
      return state === "end" && open.length === 0
        ? null
        : { at, advice: "it ends too early: send the whole of it" };
    const token = tokenAt(text, at);
    if (token === null || "advice" in token) return token;
    const next = stateAfter(state, token.kind, open);
    if (next === null) return { at, advice: adviceFor(state, token.kind, open) };
    state = next;
    at = token.end;
  }
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

/** Null if the token may not stand there. @param open the open brackets, which it changes */
function stateAfter(state: State, kind: string, open: string[]): State | null {
  const isClosing =
    (kind === "}" && open.at(-1) === "{" && (state === "end" || state === "first name")) ||
    (kind === "]" && open.at(-1) === "[" && (state === "end" || state === "first value"));
  if (isClosing) {
    open.pop();
    return "end";
  }
  switch (state) {
    case "value":
    case "first value":
      if (kind === "string" || kind === "literal") return "end";
      if (kind !== "{" && kind !== "[") return null;
      open.push(kind);
      return kind === "{" ? "first name" : "first value";
    case "name":
    case "first name":
      return kind === "string" ? "colon" : null;
    case "colon":
      return kind === ":" ? "value" : null;
    case "end":
      return kind === "," && open.length > 0 ? (open.at(-1) === "{" ? "name" : "value") : null;
  }
}

function adviceFor(state: State, kind: string, open: readonly string[]): string {
  if (state === "end" && open.length === 0) return "nothing may follow the end of the JSON";
  if (kind === "}" && state === "name") return "remove the comma before the bracket";
  if (kind === "]" && state === "value" && open.at(-1) === "[") return "remove the comma before the bracket";
  return ADVICE[state];
}

/** Null for a string that goes on beyond what is looked at. */
function tokenAt(text: string, at: number): Token | JsonFault | null {
  const character = text[at] ?? "";
  if ("{}[],:".includes(character)) return { kind: character, end: at + 1 };
  if (character === '"') return stringAt(text, at);
  LITERAL.lastIndex = at;
  const found = LITERAL.exec(text);
  if (found === null) return { at, advice: QUOTES };
  return { kind: "literal", end: at + found[0].length };
}

function stringAt(text: string, start: number): Token | JsonFault | null {
  for (let at = start + 1; at < text.length; at++) {
    if (at > LOOKED_AT) return null;
    const character = text[at] ?? "";
    if (character === '"') return { kind: "string", end: at + 1 };
    if (character < " ") return { at, advice: "write a line break in a text as \\n, and a tab as \\t" };
    if (character !== "\\") continue;
    ESCAPE.lastIndex = at;
    const found = ESCAPE.exec(text);
    if (found === null) return { at, advice: "write a backslash in a text twice" };
    at += found[0].length - 1;
  }
  return { at: text.length, advice: "a text is not closed: send the whole of it, up to its double quote" };
}
