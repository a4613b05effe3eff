import { HttpRefusal } from "./errors.ts";

interface Route {
  readonly method: string;
  readonly path: string;
}

/** The methods that some route takes at a path, sorted; empty when none does. */
export type AllowedMethods = (path: string) => string[];

/** Makes the lookup from a route table whose templates write a parameter as `:name`. */
export function createAllowedMethods(routes: readonly Route[]): AllowedMethods {
  const templates = routes.map(({ method, path }) => ({ method, segments: segmentsOf(path) }));
  return (path) => {
    const sent = segmentsOf(path);
    const methods = new Set<string>();
    for (const { method, segments } of templates) {
      if (!matches(segments, sent)) continue;
      methods.add(method);
      if (method === "GET") methods.add("HEAD");
    }
    return [...methods].toSorted();
  };
}

/** 405, with the `Allow` that RFC 9110 (15.5.6) asks for. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpRefusal {
  const list = allowed.join(", ");
  return new HttpRefusal("METHOD_NOT_ALLOWED", `${method} is not possible here, only ${list}.`, {
    allow: list,
  });
}

/** A trailing slash makes no difference, as in the router. */
function segmentsOf(path: string): string[] {
  return (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).split("/");
}

function matches(template: readonly string[], sent: readonly string[]): boolean {
  return (
    template.length === sent.length &&
    template.every((segment, i) => (segment.startsWith(":") ? sent[i] !== "" : segment === sent[i]))
  );
}
