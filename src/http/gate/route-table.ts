import { HttpRefusal } from "./errors.ts";

/** A route, as the router has it. */
export interface Route {
  readonly method: string;
  /** A template in which `:name` is a parameter. */
  readonly path: string;
  /** Whether it needs no key. */
  readonly isPublic: boolean;
}

/** What can be said about a request before it is routed. A trailing slash makes no difference, as in the router. */
export interface RouteTable {
  /** The methods of all routes at a path, sorted; empty if there is no route. */
  readonly allowedMethods: (path: string) => string[];
  /** Whether a request needs no key. */
  readonly isPublic: (method: string, path: string) => boolean;
}

/** Makes the table from all routes. */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const templates = routes.map((route) => ({ ...route, segments: segmentsOf(route.path) }));
  const openTemplates = templates.filter(({ isPublic }) => isPublic);
  return {
    allowedMethods: (path) => {
      const sent = segmentsOf(path);
      const found = templates.filter(({ segments }) => matches(segments, sent));
      return [...new Set(found.flatMap(({ method }) => methodsOf(method)))].toSorted();
    },
    isPublic: (method, path) => {
      const sent = segmentsOf(path);
      return openTemplates.some(
        (open) => methodsOf(open.method).includes(method) && matches(open.segments, sent),
      );
    },
  };
}

/** 405, with `Allow` (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpRefusal {
  const list = allowed.join(", ");
  return new HttpRefusal("METHOD_NOT_ALLOWED", `${method} is not possible here, only ${list}.`, {
    allow: list,
  });
}

/** HEAD works wherever GET works. */
function methodsOf(method: string): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

function segmentsOf(path: string): string[] {
  return (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).split("/");
}

function matches(template: readonly string[], sent: readonly string[]): boolean {
  return (
    template.length === sent.length &&
    template.every((segment, i) => (segment.startsWith(":") ? sent[i] !== "" : segment === sent[i]))
  );
}
