import { CofferError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { HttpRefusal } from "./errors.ts";
import { nearestRoutes } from "./nearest-route.ts";

/** A route, as the router has it. */
export interface Route {
  readonly method: string;
  /** A template in which `:name` is a parameter. */
  readonly path: string;
  /** Whether it needs no key. */
  readonly isPublic: boolean;
  /** Whether it is in the API description. */
  readonly isDescribed: boolean;
}

/** What can be said about a request before it is routed. A trailing slash makes no difference, as in the router. */
export interface RouteTable {
  /** Whether a request needs no key. */
  readonly isPublic: (method: string, path: string) => boolean;
  /** Whether what opens a request is in its path: a page of any origin that knows the link may send it. */
  readonly isByLink: (method: string, path: string) => boolean;
  /**
   * Refuses a wrong method at a path that is a route as it is written: the router may have another route, whose
   * parameter would take the path's last word for a name. Throws METHOD_NOT_ALLOWED.
   */
  readonly requireMethod: (method: string, path: string) => void;
  /** The error for a request that no route takes: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods at its path. */
  readonly unrouted: (method: string, path: string) => CofferError;
}

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const templates = routes.map((route) => ({ ...route, segments: segmentsOf(route.path) }));
  const written = Map.groupBy(
    templates.filter(({ path }) => !path.includes(":")),
    ({ path }) => withoutSlash(path),
  );
  const nearest = once(() => nearestRoutes(routes.filter(({ isDescribed }) => isDescribed)));
  const isWrong = (method: string, path: string) => {
    const found = written.get(withoutSlash(path));
    return found !== undefined && !methodsAt(found).includes(method);
  };
  /** Those of a path that is written out come before those whose parameter would take its last word. */
  const routesAt = (path: string) => {
    const sent = segmentsOf(path);
    return written.get(withoutSlash(path)) ?? templates.filter(({ segments }) => matches(segments, sent));
  };
  const withMethod = (found: readonly Route[], method: string) =>
    found.filter((route) => methodsOf(route.method).includes(method));
  return {
    isByLink: (method, path) => withMethod(routesAt(path), method).some(isLink),
    isPublic: (method, path) => {
      const found = routesAt(path);
      const ofMethod = withMethod(found, method);
      if (ofMethod.length > 0) return ofMethod.some(({ isPublic }) => isPublic);
      // Whoever uses a wrong method is told so, rather than asked for a key that is not needed.
      return found.length > 0 && found.every((route) => route.isPublic);
    },
    requireMethod: (method, path) => {
      if (isWrong(method, path)) throw methodNotAllowed(method, methodsAt(routesAt(path)), []);
    },
    unrouted: (method, path) => {
      const allowed = methodsAt(routesAt(path));
      const near = nearest()(method, path, allowed.length > 0);
      return allowed.length > 0 ? methodNotAllowed(method, allowed, near) : noSuchRoute(near);
    },
  };
}

/** 404 for a path without a route. @param near routes that may be meant */
function noSuchRoute(near: readonly string[]): CofferError {
  return new CofferError(
    "NOT_FOUND",
    `No such route.${hintAt(near)}${slugHint(near)} /docs/api.md lists all routes, and /docs/openapi.json describes them.`,
  );
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

function slugHint(near: readonly string[]): string {
  return near.some((route) => route.includes("/v0/drives/{id}"))
    ? " In a path, the slash of a slug is written %2F."
    : "";
}

/** The methods of some routes, sorted, each once. */
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
