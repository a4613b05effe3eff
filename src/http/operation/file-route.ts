import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { FileRef, FileView } from "../../domain/files/file.ts";
import { type Answered, type Input, type Method, operation, type Route } from "./route.ts";
import { driveRef, id } from "./schema.ts";
import type { Operation } from "./spec.ts";
import { type Reply, write } from "./write.ts";

/** An operation on one file: which file is no part of it. */
interface FileOperation<P extends TObject, Q extends TObject, B extends TSchema> extends Operation<P, Q, B> {
  readonly handle: (input: Input<P, Q, B>, file: FileRef) => Answered;
}

interface FileWrite<P extends TObject, Q extends TObject, B extends TSchema> extends Operation<P, Q, B> {
  readonly perform: (input: Input<P, Q, B>, file: FileRef, reply: Reply) => Promise<unknown>;
}

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
  spec: FileOperation<P, Q, B>,
): Route[];
export function fileOperation(
  method: Method,
  rest: string,
  { handle, ...spec }: FileOperation<TObject, TObject, TSchema>,
): Route[] {
  return [
    operation(method, `/v0/files/:id${rest}`, {
      ...specById(spec),
      handle: (input) => handle(input, refById(input.params)),
    }),
    operation(method, `/v0/files/by-path${rest}`, {
      ...specByPath(method, rest, spec),
      handle: (input) => handle(input, refIn(input.query)),
    }),
  ];
}

/** Like `fileOperation`, for a write. */
export function fileWrite<P extends TObject, Q extends TObject, B extends TSchema>(
  method: Method,
  rest: string,
  spec: FileWrite<P, Q, B>,
): Route[];
export function fileWrite(
  method: Method,
  rest: string,
  { perform, ...spec }: FileWrite<TObject, TObject, TSchema>,
): Route[] {
  return [
    write(method, `/v0/files/:id${rest}`, {
      ...specById(spec),
      perform: (input, reply) => perform(input, refById(input.params), reply),
    }),
    write(method, `/v0/files/by-path${rest}`, {
      ...specByPath(method, rest, spec),
      perform: (input, reply) => perform(input, refIn(input.query), reply),
    }),
  ];
}

/** A file of a route, in the snapshot that its query may name. */
export function viewOf(
  file: FileRef,
  { snapshot_id: snapshot }: { readonly snapshot_id?: string },
): FileView {
  return snapshot === undefined ? file : { ...file, snapshot };
}

function specById(spec: Operation<TObject, TObject, TSchema>) {
  return { ...spec, params: Type.Object({ ...byId, ...spec.params?.properties }) };
}

function specByPath(method: Method, rest: string, spec: Operation<TObject, TObject, TSchema>) {
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
