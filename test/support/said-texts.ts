import { parseSync } from "oxc-parser";
import type { Source } from "./sources.ts";

/** A text that a source says through the catalogue. */
export interface SaidText {
  readonly message: string;
  /** The form for one, of a text that depends on a number. */
  readonly one: string | null;
  readonly place: string;
  /** Whether it is said while the module loads, when the language is not known. */
  readonly isTooEarly: boolean;
}

/** What a source says. */
export interface Said {
  readonly texts: readonly SaidText[];
  /** What people would read that is in no catalogue: `place: text`. */
  readonly outside: readonly string[];
}

/** The functions that say a text, and at which argument it is what the catalogues have it under. */
const SAYING: ReadonlyMap<string, number> = new Map([
  ["t", 0],
  ["rich", 0],
  ["mark", 0],
  ["plural", 2],
]);

/** The attributes whose values are no texts, although they may be written like some. */
const NO_TEXT_IN =
  /^(?:class|className|id|name|type|role|href|src|rel|target|key|autocomplete|inputMode|style|list|form|lang|dir|method|accept|d|viewBox|data-.*|aria-(?:current|live|haspopup|controls|labelledby|describedby|relevant|owns|sort|orientation|autocomplete))$/i;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** All that a source of the dashboard says to people. */
export function saidIn({ path, text }: Source): Said {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const texts: SaidText[] = [];
  const outside: string[] = [];
  const placeOf = ({ start }: Node) => `${path}:${text.slice(0, start).split("\n").length}`;

  const visit = (node: Node, isInFunction: boolean, isQuiet = false): void => {
    if (isType(node) || isModuleName(node)) return;
    const at = node.type === "CallExpression" ? SAYING.get(nameOf(node["callee"])) : undefined;
    if (at !== undefined) {
      visitSaying(node, at, isInFunction);
      return;
    }
    const words = isQuiet ? null : wordsOf(node);
    if (words !== null) outside.push(`${placeOf(node)}: ${words}`);
    for (const child of childrenOf(node)) {
      visit(child, isInFunction || isFunction(node), isQuiet || isForPrograms(node));
    }
  };

  const visitSaying = (call: Node, at: number, isInFunction: boolean): void => {
    const name = nameOf(call["callee"]);
    const given = Array.isArray(call["arguments"]) ? call["arguments"].filter(isNode) : [];
    const message = literalOf(given[at]);
    const one = name === "plural" ? literalOf(given[1]) : null;
    // Otherwise it is of a table, whose messages are marked where they are written: the types see to that.
    if (message !== null) {
      texts.push({ message, one, place: placeOf(call), isTooEarly: name !== "mark" && !isInFunction });
    }
    for (const value of given) if (literalOf(value) === null) visit(value, isInFunction);
  };

  if (isNode(program)) visit(program, false);
  return { texts, outside };
}

/** What a node has for people to read; null for nothing. */
function wordsOf(node: Node): string | null {
  switch (node.type) {
    case "JSXText": {
      const words = String(node["value"]).replaceAll(/\s+/g, " ").trim();
      return /\p{L}/u.test(words) ? words : null;
    }
    case "Literal":
      return isText(node["value"]) ? node["value"] : null;
    case "TemplateElement": {
      const { value } = node;
      const cooked = typeof value === "object" && value !== null && "cooked" in value ? value.cooked : null;
      return isText(cooked) ? cooked : null;
    }
    default:
      return null;
  }
}

/** Whether a string is words for people: it begins like a sentence or a label, or has several words. */
function isText(value: unknown): value is string {
  if (typeof value !== "string") return false;
  return /^\s*\p{Lu}\p{Ll}/u.test(value) || /\p{L}[\p{Ll}.,:;]* \p{L}/u.test(value);
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([field, value]) => {
    const isName = (field === "key" && node.type === "Property") || field === "directive";
    if (isName && node["computed"] !== true) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

/** Whether what is in a node is read by programs, or by whoever mends this one. */
function isForPrograms(node: Node): boolean {
  return (
    node.type === "ThrowStatement" || (node.type === "JSXAttribute" && NO_TEXT_IN.test(nameOf(node["name"])))
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isType({ type }: Node): boolean {
  return (
    type.startsWith("TS") &&
    !["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"].includes(type)
  );
}

function isModuleName({ type }: Node): boolean {
  return ["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"].includes(type);
}

function isFunction({ type }: Node): boolean {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);
}

function literalOf(node: Node | undefined): string | null {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"];
  return null;
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : "";
}
