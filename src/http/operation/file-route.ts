import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Elysia } from "elysia";
import type { FileRef, FileView } from "../../domain/files/file-ref.ts";
import { operation } from "./operation.ts";
import type { Input, Route } from "./route.ts";
import { driveRef, id } from "./schema.ts";
import type { Operation } from "./spec.ts";
import { type Reply, write } from "./write.ts";

/** Adds routes to an app: an argument of its `.use`. */
type AddRoutes = (app: Elysia) => Elysia;

type Method = "GET" | "PATCH" | "DELETE" | "POST";

/** An operation on one file: which file is no part of it. */
type AnyFileSpec = Operation<TObject, TObject, TSchema>;

const byId = { id: id("The file's identifier.") };
const byPath = {
  drive_id: driveRef(),
  path: Type.String({
    minLength: 1,
    description: "The file's path. In a query, `+` is a space: send `%2B` for a plus sign.",
    examples: ["notes/2030/plan.md"],
  }),
};

/**
 * The two routes of an operation on one file, which is named by its id in the path of the URL, or by its drive and
 * path in the query.
 *
 * @param rest what follows in the path of the URL, such as `/download`
 * @param spec its `params` are those in `rest`
 */
export function fileOperation<P extends TObject, Q extends TObject, B extends TSchema>(
  method: Method,
  rest: string,
  spec: Operation<P, Q, B>,
  handle: (input: Input<P, Q, B>, file: FileRef) => Response | Promise<Response>,
): AddRoutes;
export function fileOperation(
  method: Method,
  rest: string,
  spec: AnyFileSpec,
  handle: (input: Input<TObject, TObject, TSchema>, file: FileRef) => Response | Promise<Response>,
): AddRoutes {
  return routes(
    method,
    operation(`/v0/files/:id${rest}`, specById(spec), (input) => handle(input, refById(input.params))),
    operation(`/v0/files/by-path${rest}`, specByPath(method, rest, spec), (input) =>
      handle(input, refIn(input.query)),
    ),
  );
}

/** Like `fileOperation`, for a write. */
export function fileWrite<P extends TObject, Q extends TObject, B extends TSchema>(
  method: Method,
  rest: string,
  spec: Operation<P, Q, B>,
  perform: (input: Input<P, Q, B>, file: FileRef, reply: Reply) => Promise<unknown>,
): AddRoutes;
export function fileWrite(
  method: Method,
  rest: string,
  spec: AnyFileSpec,
  perform: (input: Input<TObject, TObject, TSchema>, file: FileRef, reply: Reply) => Promise<unknown>,
): AddRoutes {
  return routes(
    method,
    write(`/v0/files/:id${rest}`, specById(spec), (input, reply) =>
      perform(input, refById(input.params), reply),
    ),
    write(`/v0/files/by-path${rest}`, specByPath(method, rest, spec), (input, reply) =>
      perform(input, refIn(input.query), reply),
    ),
  );
}

/** A file of a route, in the snapshot that its query may name. */
export function viewOf(
  file: FileRef,
  { snapshot_id: snapshot }: { readonly snapshot_id?: string },
): FileView {
  return snapshot === undefined ? file : { ...file, snapshot };
}

function specById(spec: AnyFileSpec) {
  return { ...spec, params: Type.Object({ ...byId, ...spec.params?.properties }) };
}

function specByPath(method: Method, rest: string, spec: AnyFileSpec) {
  return {
    ...spec,
    operationId: `${spec.operationId}ByPath`,
    summary: `${spec.summary}, by path`,
    description: `Like \`${method} /v0/files/{id}${rest.replaceAll(/:(\w+)/g, "{$1}")}\`, for the file at this path.`,
    query: Type.Object({ ...spec.query?.properties, ...byPath }),
  };
}

function refById({ id: given }: { readonly id: string }): FileRef {
  return { id: given };
}

function refIn({ drive_id: drive, path }: { readonly drive_id: string; readonly path: string }): FileRef {
  return { drive, path };
}

function routes(method: Method, byIdentifier: Route<string>, byItsPath: Route<string>): AddRoutes {
  return (app) => {
    app.route(method, ...byIdentifier);
    app.route(method, ...byItsPath);
    return app;
  };
}
