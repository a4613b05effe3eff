import { distance } from "../../domain/nearest.ts";

/** A route as the router has it: in upper case, and with `:name` for parameters. */
interface KnownRoute {
  readonly method: string;
  readonly path: string;
}

/**
 * The routes that a caller may have meant, nearest first, as `GET /v0/files/{id}`.
 *
 * @param isMethodRight leaves out those with another method
 */
export type NearestRoutes = (method: string, path: string, isMethodRight: boolean) => readonly string[];

/** Longer paths and words are compared with nothing: the time must be bounded, whatever is sent. */
const SEGMENTS = 10;
const WORD = 24;

/** What it costs that a word is missing, too many, another one, or in the place of a parameter. */
const MISSING = 0.8;
const SURPLUS = 1.05;
const OTHER = 1.1;
const PARAMETER = 0.3;
const OTHER_METHOD = 0.6;
/** What costs more is not near. */
const NEAR = 1.75;
/** How many are told, and how much more than the first they may cost. */
const TOLD = 3;
const AS_NEAR = 0.1;

/** Makes the search among all routes. */
export function nearestRoutes(routes: readonly KnownRoute[]): NearestRoutes {
  const known = routes.map((route) => ({ ...route, segments: route.path.split("/").slice(1) }));
  return (method, path, isMethodRight) => {
    const sent = path
      .toLowerCase()
      .split("/", SEGMENTS + 2)
      .filter((segment) => segment !== "");
    if (sent.length === 0 || sent.length > SEGMENTS) return [];
    const priceOf = wordPrices();
    const near = known
      .filter((route) => !isMethodRight || route.method === method)
      .map((route) => {
        const other = route.method === method ? 0 : OTHER_METHOD;
        return { route, price: other + pathPrice(route.segments, sent, priceOf) };
      })
      .filter(({ price }) => price < NEAR)
      .toSorted((a, b) => a.price - b.price);
    const most = (near[0]?.price ?? 0) + AS_NEAR;
    return near
      .filter(({ price }) => price <= most)
      .slice(0, TOLD)
      .map(({ route }) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, "{$1}")}`);
  };
}

type WordPrice = (known: string, sent: string) => number;

/** The least cost of making the known path from the sent one, word by word, as `distance` does letter by letter. */
function pathPrice(known: readonly string[], sent: readonly string[], priceOf: WordPrice): number {
  let above = [0, ...sent.map((_, column) => (column + 1) * SURPLUS)];
  for (const [row, word] of known.entries()) {
    const current = [(row + 1) * MISSING];
    for (const [column, given] of sent.entries()) {
      const replaced = (above[column] ?? 0) + priceOf(word, given);
      const surplus = (current[column] ?? 0) + SURPLUS;
      const missing = (above[column + 1] ?? 0) + MISSING;
      current.push(Math.min(replaced, surplus, missing));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}

/** The cost of one word for another, less if they share most letters. Each pair is compared once. */
function wordPrices(): WordPrice {
  const found = new Map<string, number>();
  return (known, sent) => {
    if (known === sent) return 0;
    if (known.startsWith(":")) return PARAMETER;
    if (sent.length > WORD) return OTHER;
    const pair = `${known}/${sent}`;
    let price = found.get(pair);
    if (price === undefined) {
      price = Math.min(OTHER, (2 * distance(known, sent)) / Math.max(known.length, sent.length));
      found.set(pair, price);
    }
    return price;
  };
}
