import { CofferError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { HttpRefusal } from "./errors.ts";
import { distance } from "../../domain/nearest.ts";

/** Whether a request is for the MCP server. A trailing slash makes no difference, as in the router. */
export function isMcpPath(path: string): boolean {
  return path === "/mcp" || path === "/mcp/";
}

/** Whether a path is a page that says what a key can. It is there for all, but who sends a key passes the gate. */
export function isToldByKey(path: string): boolean {
  return path === "/skill.md" || path === "/skill.md/";
}

/** Whether the gate guards a path: there keys are read and requests are counted. */
export function isGuardedPath(path: string): boolean {
  return path === "/v0" || path.startsWith("/v0/") || isMcpPath(path);
}

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

interface Route {
  readonly method: string;
  /** A template in which `:name` is a parameter. */
  readonly path: string;
  readonly isPublic: boolean;
  readonly isDescribed: boolean;
}

export type RouteTable = ReturnType<typeof createRouteTable>;

/** Makes what can be said about a request before it is routed. A trailing slash makes no difference, as in the router. */
export function createRouteTable(routes: readonly Route[]) {
  const templates = routes.map((route) => ({ ...route, segments: segmentsOf(route.path) }));
  const written = Map.groupBy(
    templates.filter(({ path }) => !path.includes(":")),
    ({ path }) => withoutSlash(path),
  );
  // Asked for at each request.
  const methods = new Map([...written].map(([path, found]) => [path, methodsAt(found)]));
  const nearest = once(() => nearestRoutes(routes.filter(({ isDescribed }) => isDescribed)));
  /** Those of a path that is written out come before those whose parameter would take its last word. */
  const routesAt = (path: string) => {
    const sent = segmentsOf(path);
    return written.get(withoutSlash(path)) ?? templates.filter(({ segments }) => matches(segments, sent));
  };
  const withMethod = (found: readonly Route[], method: string) =>
    found.filter((route) => methodsOf(route.method).includes(method));
  return {
    /** Whether what opens a request is in its path: a page of any origin that knows the link may send it. */
    isByLink: (method: string, path: string) => withMethod(routesAt(path), method).some(isLink),
    isPublic: (method: string, path: string) => {
      const found = routesAt(path);
      const ofMethod = withMethod(found, method);
      if (ofMethod.length > 0) return ofMethod.some(({ isPublic }) => isPublic);
      // Whoever uses a wrong method is told so, rather than asked for a key that is not needed.
      return found.length > 0 && found.every((route) => route.isPublic);
    },
    /** Throws METHOD_NOT_ALLOWED where the router would take the last word of a written path for a parameter. */
    requireMethod: (method: string, path: string) => {
      const allowed = methods.get(withoutSlash(path));
      if (allowed?.includes(method) === false) throw methodNotAllowed(method, allowed, []);
    },
    /** The error for a request that no route takes: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods at its path. */
    unrouted: (method: string, path: string): CofferError => {
      const allowed = methodsAt(routesAt(path));
      const near = nearest()(method, path, allowed.length > 0);
      if (allowed.length > 0) return methodNotAllowed(method, allowed, near);
      const slugHint = near.some((route) => route.includes("/v0/drives/{id}"))
        ? " In a path, the slash of a slug is written %2F."
        : "";
      return new CofferError(
        "NOT_FOUND",
        `No such route.${hintAt(near)}${slugHint} /docs/api.md lists all routes, and /docs/openapi.json describes them.`,
      );
    },
  };
}

/** 405, with `Allow` (RFC 9110, 15.5.6). @param near routes that may be meant */
function methodNotAllowed(method: string, allowed: readonly string[], near: readonly string[]): HttpRefusal {
  const list = allowed.join(", ");
  return new HttpRefusal(
    "METHOD_NOT_ALLOWED",
    `${method} is not possible here, only ${list}.${hintAt(near)} /docs/api.md lists all routes.`,
    { allow: list },
  );
}

function hintAt(near: readonly string[]): string {
  if (near.length === 0) return "";
  const names = near.map((route) => `\`${route}\``);
  const last = names.pop();
  return ` Did you mean ${names.length === 0 ? last : `${names.join(", ")} or ${last}`}?`;
}

function methodsAt(routes: readonly Route[]): string[] {
  return [...new Set(routes.flatMap(({ method }) => methodsOf(method)))].toSorted();
}

/** Whether the end of the path stands in the place of a key. */
function isLink({ isPublic, path }: Route): boolean {
  return isPublic && path.slice(path.lastIndexOf("/")).startsWith("/:");
}

/** HEAD works wherever GET works. */
function methodsOf(method: string): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

function segmentsOf(path: string): string[] {
  return withoutSlash(path).split("/");
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function matches(template: readonly string[], sent: readonly string[]): boolean {
  return (
    template.length === sent.length &&
    template.every((segment, i) => (segment.startsWith(":") ? sent[i] !== "" : segment === sent[i]))
  );
}

/** Makes the search for routes that may be meant, nearest first; with `isMethodRight` for those of the method alone. */
function nearestRoutes(routes: readonly Route[]) {
  const known = routes.map((route) => ({ ...route, segments: route.path.split("/").slice(1) }));
  return (method: string, path: string, isMethodRight: boolean): readonly string[] => {
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
