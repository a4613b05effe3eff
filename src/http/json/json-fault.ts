/** What may follow; `end` is what ends a value. */
type State = "value" | "first value" | "name" | "first name" | "colon" | "end";

const VALUE = { string: "end", literal: "end", "{": "first name", "[": "first value" } as const;
/** What may follow after which token. A closing bracket must fit the open one, and in an object a comma leads to a name. */
const AFTER: Readonly<Record<State, Readonly<Partial<Record<string, State>>>>> = {
  value: VALUE,
  "first value": { ...VALUE, "]": "end" },
  name: { string: "colon" },
  "first name": { string: "colon", "}": "end" },
  colon: { ":": "value" },
  end: { "}": "end", "]": "end", ",": "value" },
};

const QUOTES = "put names and texts in double quotes";
const ADVICE: Readonly<Record<State, string>> = {
  value: "a value is missing",
  "first value": "a value is missing",
  name: QUOTES,
  "first name": QUOTES,
  colon: "a colon is missing after the name",
  end: "a comma or a closing bracket is missing",
};

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A text up to its closing quote, or to the first character that cannot stand in it. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;

/** How many characters are looked at, while everybody else waits; and of an escape that begins there. */
const LOOKED_AT = 64 * 1024;
const ESCAPE = 6;

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

/** Completes "{field} ..." for what is often sent in place of JSON, by its start; null for anything else. */
export function otherThanJson(start: string): string | null {
  const text = start.slice(0, 256).replace(/^[ \t\n\r]+/, "");
  if (/^[\w.%+[\]-]+=/.test(text))
    return 'looks like a form, but must be JSON: send {"name": "value"} instead of name=value';
  if (text.startsWith("--"))
    return "looks like a multipart form, but must be JSON. A route that takes forms needs the form's own Content-Type";
  return text.startsWith("\ufeff") ? "starts with a byte order mark: send it without" : null;
}

/**
 * Finds the first character that JSON (RFC 8259) does not allow, or the end of a text that ends too early; null if it is
 * not among those that are looked at.
 */
function faultIn(whole: string) {
  const text = whole.slice(0, LOOKED_AT + ESCAPE);
  const open: string[] = [];
  let state: State = "value";
  for (let end = 0; ;) {
    const at = endOf(SPACE, text, end);
    if (at > LOOKED_AT) return null;
    if (at === text.length) {
      const isWhole = state === "end" && open.length === 0;
      return isWhole ? null : { at, advice: "it ends too early: send the whole of it" };
    }
    const kind = kindOf(text[at]);
    end = at + 1;
    if (kind === "string") {
      const quote = endOf(STRING, text, at);
      if (quote > LOOKED_AT) return null;
      if (text[quote] !== '"') return { at: quote, advice: adviceInText(text[quote]) };
      end = quote + 1;
    } else if (kind === "literal") {
      end = endOf(LITERAL, text, at);
      if (end === at) return { at, advice: QUOTES };
    }
    const next = stateAfter(state, kind, open);
    if (next === null) return { at, advice: adviceFor(state, kind, open) };
    state = next;
  }
}

/** Where a match that begins at a place ends; the place itself if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function kindOf(character = ""): string {
  if ("{}[],:".includes(character)) return character;
  return character === '"' ? "string" : "literal";
}

/** Null if the token may not stand there. @param open the open brackets, which it changes */
function stateAfter(state: State, kind: string, open: string[]): State | null {
  const next = AFTER[state][kind] ?? null;
  const inside = open.at(-1);
  if (next === null || (kind === "," && inside === undefined)) return null;
  if (kind === "," && inside === "{") return "name";
  if (kind === "{" || kind === "[") open.push(kind);
  if (kind === "}" || kind === "]") {
    if (inside !== (kind === "}" ? "{" : "[")) return null;
    open.pop();
  }
  return next;
}

function adviceFor(state: State, kind: string, open: readonly string[]): string {
  if (state === "end" && open.length === 0) return "nothing may follow the end of the JSON";
  if (kind === "}" && state === "name") return "remove the comma before the bracket";
  if (kind === "]" && state === "value" && open.at(-1) === "[") return "remove the comma before the bracket";
  return ADVICE[state];
}

function adviceInText(character: string | undefined): string {
  if (character === undefined) return "a text is not closed: send the whole of it, up to its double quote";
  if (character === "\\") return "write a backslash in a text twice";
  return "write a line break in a text as \\n, and a tab as \\t";
}
