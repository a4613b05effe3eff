import { countRareRuns } from "./rare-letters.ts";

/** In the time for an ordinary element: where a browser takes about a quarter of a second. */
const MOST_COST = 30_000;
const MOST_DEPTH = 100;
/** Characters of a text in a picture; more in a row take long to shape. */
const MOST_TEXT = 2000;
/** For each character, and for each run of letters that a font may be looked for. */
const LETTER = 0.3;
const RARE_RUN = 10;
/** The characters of attributes that take as long as an element; those of a long shape more, as it may cross itself. */
const ATTRIBUTES = 100;
const LONG_SHAPE = 30_000;
/** An element that `<use>` repeats is made and styled anew for each. */
const REPEATED = 3;
/** A part that is drawn apart and then put on the picture, all over it. */
const LAYER = 50;
const FILTER_STEP = 500;
const IMAGE = 200;
const ANIMATION = 40;
/** Rules of a style sheet that take as long, for an element, as the element itself. */
const RULES = 10;
const MOST_STYLE = 20_000;
/** What a style sheet could give to every element, and what is costly to match. */
const COSTLY_STYLE =
  /&#|\\|@|url|:(?:has|nth|is|where|not)|opacity|blend|filter|isolation|animation|dasharray|\+|~/i;

const TOKEN =
  /<!--[^]*?-->|<\?(?!xml-stylesheet)[^]*?\?>|<!DOCTYPE[^[<>]*>|<!\[CDATA\[[^]*?\]\]>|<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/gy;
const ATTRIBUTE = /([\w.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const REFERENCE = /url\(\s*["']?#([^"')\s]+)/g;

/** A dashed shape, if its dashes are not short and it is not large; it may have 14 dashes for each character. */
const DASHED = 50;
const DASHED_CHARACTER = 5;
/** Any other one may have a million. */
const DASHED_FINELY = 2000;
const SHAPE = /^(?:path|line|polyline|polygon|rect|circle|ellipse)$/;
const NO_DASHES = /stroke-dasharray\s*(?:=\s*["']|:)\s*none/gi;
const FINE_OR_LARGE = /dasharray\s*(?:=\s*["']|:)[^"';]*(?:\.|\b0|[^\d\s,"';])|\d{5}|\de/i;

interface Element {
  readonly name: string;
  own: number;
  readonly children: Element[];
  /** The ids of what it draws as well. */
  readonly references: string[];
}

/**
 * Whether an SVG is simple enough that drawing it cannot hold the page: elements are counted as often as `<use>`,
 * patterns and masks repeat them, and what is costly counts more. What cannot be measured, such as a document with
 * entities of its own, is not simple. A browser draws pictures in the thread of the page.
 */
export function isSimpleSvg(text: string): boolean {
  const elements: Element[] = [];
  const byId = new Map<string, Element>();
  const open: Element[] = [];
  let rules = 0;
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) return false;
    at = TOKEN.lastIndex;
    const [token, close, name, attributes = "", isEmpty] = match;
    if (name === undefined) {
      if (/^<(?:!--|\?|!D)/.test(token)) continue;
      const style = open.at(-1);
      if (style?.name === "style") {
        if (token.length > MOST_STYLE || COSTLY_STYLE.test(token)) return false;
        rules += token.split("{").length - 1;
      } else {
        const words = token.trim();
        if (words.length > MOST_TEXT) return false;
        if (style !== undefined) style.own += costOfText(words);
      }
      continue;
    }
    if (close === "/") {
      if (open.pop()?.name !== name) return false;
      continue;
    }
    if (name === "foreignObject") return false;
    const element = elementOf(name, attributes, byId);
    if (element === null) return false;
    elements.push(element);
    open.at(-1)?.children.push(element);
    if (isEmpty !== "/") open.push(element);
    if (open.length > MOST_DEPTH) return false;
  }
  return open.length === 0 && isCheap(elements, byId, 1 + rules / RULES);
}

/** A letter as a number may be any. */
function costOfText(text: string): number {
  return LETTER * text.length + RARE_RUN * (countRareRuns(text) + text.split("&#").length - 1);
}

/** An element as its attributes say; null if they cannot be measured. */
function elementOf(name: string, attributes: string, byId: Map<string, Element>): Element | null {
  const references: string[] = [];
  let own = 1 + attributes.length / ATTRIBUTES;
  if (name.startsWith("fe")) own += FILTER_STEP;
  if (name.startsWith("animate") || name === "set") own += ANIMATION;
  if (/dasharray/i.test(attributes.replaceAll(NO_DASHES, ""))) {
    // On anything else it would be for all that is in it.
    if (!SHAPE.test(name)) return null;
    own += (FINE_OR_LARGE.test(attributes) ? DASHED_FINELY : DASHED) + DASHED_CHARACTER * attributes.length;
  }
  if (name === "image" || name === "feImage") own += IMAGE;
  const element: Element = { name, own: 0, children: [], references };
  for (const [, key = "", quoted, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = quoted ?? single ?? "";
    // Characters as numbers or escapes could hide what it refers to.
    if (/&#|\\/.test(value) || /data:image\/svg|data:[^,]*xml/i.test(value)) return null;
    if (key === "d" || key === "points") own += (value.length / ATTRIBUTES) * (value.length / LONG_SHAPE);
    if (key === "id") byId.set(value, element);
    if (key === "href" && value.trim().startsWith("#")) references.push(value.trim().slice(1));
    for (const [, id = ""] of value.matchAll(REFERENCE)) {
      references.push(id);
      own += LAYER;
    }
    if (/^(?:opacity|mix-blend-mode|filter|isolation)$/.test(key)) own += LAYER;
    if (key === "style" && /opacity\s*:|blend|filter|isolation|animation/.test(value)) own += LAYER;
    // A marker is drawn at every point of a path.
    if (key.startsWith("marker")) own += attributes.length;
  }
  element.own = own;
  return element;
}

/** @param factor by which the rules of style sheets make each element cost more */
function isCheap(elements: readonly Element[], byId: ReadonlyMap<string, Element>, factor: number): boolean {
  const known = new Map<Element, number>();
  const open = new Set<Element>();
  /** With all that is in it or drawn by it; what draws itself is not drawn. */
  const wholeOf = (element: Element): number => {
    const found = known.get(element);
    if (found !== undefined) return found;
    if (open.has(element) || open.size > MOST_COST) return 0;
    open.add(element);
    const inside = element.children.reduce((sum, child) => sum + wholeOf(child), 0);
    const whole = element.own + inside + repeatedBy(element);
    open.delete(element);
    known.set(element, whole);
    return whole;
  };
  const repeatedBy = ({ references }: Element): number =>
    references.reduce((sum, id) => {
      const target = byId.get(id);
      return target === undefined ? sum : sum + wholeOf(target);
    }, 0);
  try {
    let cost = 0;
    for (const element of elements) {
      cost += element.own + REPEATED * repeatedBy(element);
      if (cost * factor > MOST_COST) return false;
    }
    return true;
  } catch (error) {
    // The end of the stack: references in a chain too long.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
