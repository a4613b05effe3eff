import { HttpRefusal } from "./errors.ts";

/** A route as the router knows it. */
export interface Route {
  readonly method: string;
  /** A template that writes a parameter as `:name`. */
  readonly path: string;
  /** Whether it needs no key. */
  readonly isPublic: boolean;
}

/** What is known of the routes before a request is routed. A trailing slash makes no difference, as in the router. */
export interface RouteTable {
  /** The methods that some route takes at a path, sorted; empty when none does. */
  readonly allowedMethods: (path: string) => string[];
  /** Whether a request may come without a key. */
  readonly isPublic: (method: string, path: string) => boolean;
}

/** Makes the lookup from all routes there are. */
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

/** 405, with the `Allow` that RFC 9110 (15.5.6) asks for. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpRefusal {
  const list = allowed.join(", ");
  return new HttpRefusal("METHOD_NOT_ALLOWED", `${method} is not possible here, only ${list}.`, {
    allow: list,
  });
}

/** HEAD works wherever GET does. */
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
