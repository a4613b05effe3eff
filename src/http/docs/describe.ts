import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../domain/errors.ts";
import { isGuardedPath } from "../gate/route-table.ts";
import { shownExample } from "../operation/schema.ts";
import { takenSchema } from "../operation/validate.ts";
import type { Route } from "../operation/route.ts";
import { type Answer, answersOf, type AnyOperation } from "../operation/spec.ts";
import { fieldsOf, isStrictPath } from "../operation/names.ts";

/** An operation among the routes. */
export interface PlacedOperation {
  /** In upper case. */
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly spec: AnyOperation;
  readonly isKeyed: boolean;
  readonly detail: OperationDetail;
}

/** An OpenAPI operation, without what depends on its method and path: `openapi.ts` adds that. */
export type OperationDetail = ReturnType<typeof describeOperation>;

/** A successful OpenAPI response, without the headers of every response. */
export type Described = ReturnType<typeof describeAnswer>;

/** Answers without an example of their own: they show the same as the JSON beside them. */
const STREAMED: ReadonlySet<string> = new Set(["text/event-stream", "application/x-ndjson"]);

type Content = Record<string, { schema: TSchema; example?: unknown }>;

/** The groups of operations, in the order shown. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: "Start", description: "What there is, without a key." },
  { name: "Drives", description: "Containers of files, each with its own owner and limits." },
  { name: "Files", description: "Upload, download, list, change, copy, move and delete files." },
  { name: "Folders", description: "The folders of a drive. Their paths end with `/`." },
  { name: "Versions", description: "The contents that a file had before: to read, compare and restore." },
  { name: "Snapshots", description: "What a drive held at some moment, to look into and to bring back." },
  { name: "Trash", description: "What was deleted, and can be restored for a while." },
  { name: "Links", description: "Links for people and programs without a key: listed, counted and revoked." },
  { name: "Members", description: "Other users with whom a drive is shared, as readers or editors." },
  { name: "Keys", description: "API keys, with which callers authenticate." },
  {
    name: "Applications",
    description:
      "Applications that a person lets in by OAuth 2.1, such as MCP clients. Their protocol is described by the documents at `/.well-known/oauth-authorization-server` and `/.well-known/oauth-protected-resource/mcp`.",
  },
  { name: "Search", description: "Find files by name, text, tags and other properties." },
  { name: "Account", description: "The caller's own account: usage, password and sessions." },
  { name: "Users", description: "All users of this server; for administrators." },
  { name: "MCP", description: "The same drives for clients of the Model Context Protocol." },
  { name: "Sign-in", description: "Sign in and out. The session is in a cookie of the browser." },
];

/** All operations among the routes, in their order. Takes long. */
export function operationsIn(routes: readonly Route[]): PlacedOperation[] {
  return routes.flatMap(({ method, path: template, spec, isKeyed = false }) => {
    if (spec === undefined) return [];
    const path = template.replaceAll(/:(\w+)/g, "{$1}");
    return [{ method, path, spec, isKeyed, detail: describeOperation(path, spec) }];
  });
}

/** All error codes of an operation: its own, and those of all operations like it. */
export function errorsOf(operation: PlacedOperation): ReadonlySet<ErrorCode> {
  const { method, path, spec, isKeyed, detail } = operation;
  const isPublic = !needsKey(operation);
  const errors = new Set(spec.errors);
  errors.add("INTERNAL").add("UNAVAILABLE");
  if (isGuardedPath(path)) errors.add("RATE_LIMITED");
  if (namesThing(operation)) errors.add("NOT_FOUND");
  if (!isPublic) errors.add("UNAUTHORIZED");
  const { account, person, signedIn, headers = {} } = spec;
  if (!isPublic && (method !== "GET" || account || person || signedIn)) errors.add("FORBIDDEN");
  if ("If-Match" in headers) errors.add("PRECONDITION_FAILED");
  if (isKeyed || isStrictPath(path) || detail.parameters.length > 0 || detail.requestBody !== undefined)
    errors.add("VALIDATION_ERROR");
  if (detail.requestBody !== undefined) errors.add("UNSUPPORTED_MEDIA_TYPE");
  // A long body is refused also where none is read.
  if (method !== "GET") errors.add("PAYLOAD_TOO_LARGE");
  // Responses to callers without a key do not count.
  if (isKeyed && !isPublic) errors.add("QUOTA_EXCEEDED");
  if (isKeyed) errors.add("IDEMPOTENCY_IN_PROGRESS").add("IDEMPOTENCY_KEY_REUSED").add("STORAGE_FULL");
  return errors;
}

/** Whether an operation takes the name of something, which may not be there: in its path, or as `drive_id`. */
function namesThing({ path, spec, detail }: PlacedOperation): boolean {
  return (
    path.includes("{") ||
    // In the audit log it is a filter: the drive may be gone.
    (spec.administrators !== true && detail.parameters.some(({ name }) => name === "drive_id")) ||
    fieldsOf(spec).includes("drive_id")
  );
}

/** Whether an operation needs a key or a session. */
export function needsKey({ path, spec }: Pick<PlacedOperation, "path" | "spec">): boolean {
  return isGuardedPath(path) && spec.public !== true;
}

/** Describes an operation for OpenAPI. The schemas are the same objects that requests are checked against. */
function describeOperation(path: string, spec: AnyOperation) {
  const content = requestContentOf(spec, isStrictPath(path));
  const required = "rawBody" in spec || spec.bodyOptional !== true;
  return {
    operationId: spec.operationId,
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    tags: spec.tag === undefined ? [] : [spec.tag],
    parameters: [
      ...parameters("path", spec.params),
      ...parameters("query", spec.query),
      ...Object.entries(spec.headers ?? {}).map(([name, description]) => header(name, description)),
    ],
    ...(content === undefined ? {} : { requestBody: { required, content } }),
    responses: Object.fromEntries(
      answersOf(spec).map((answer, index) => [
        String(answer.status ?? 200),
        describeAnswer(answer, index === 0),
      ]),
    ),
  };
}

function requestContentOf(spec: AnyOperation, isStrict: boolean): Content | undefined {
  const bodyOf = (type: string, schema: TSchema, example: unknown): Content => {
    const taken = takenSchema(schema, { isStrict, isJson: type === "application/json" });
    return { [type]: { schema: taken, ...(example === undefined ? {} : { example }) } };
  };
  if (!("rawBody" in spec))
    return (
      spec.body && bodyOf("application/json", spec.body, spec.example ?? (spec.bodyOptional ? {} : undefined))
    );
  const { content, examples = {} } = spec.rawBody;
  return Object.assign(
    {},
    ...Object.entries(content).map(([type, schema]) => bodyOf(type, schema, examples[type])),
  );
}

function parameters(place: "path" | "query", schema: TObject | undefined) {
  return Object.entries<TSchema>(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: (schema?.required ?? []).includes(name) && property.default === undefined,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function header(name: string, description: string) {
  return { name, in: "header" as const, required: false, description, schema: Type.String() };
}

function describeAnswer(answer: Answer, isFirst: boolean) {
  const { description, json, content, headers = {}, someHeaders = {}, example } = answer;
  const shown = example ?? (isFirst && json !== undefined ? shownExample(json) : undefined);
  const schemas = content ?? (json && { "application/json": json });
  const described = Object.entries({ ...headers, ...someHeaders }).map(([name, about]) => {
    return [name, { description: about, required: name in headers, schema: { type: "string" } }] as const;
  });
  return {
    description,
    ...(described.length === 0 ? {} : { headers: Object.fromEntries(described) }),
    ...(schemas === undefined ? {} : { content: contentOf(schemas, shown) }),
  };
}

function contentOf(schemas: Readonly<Record<string, TSchema>>, example?: unknown): Content {
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema, ...(example === undefined || STREAMED.has(type) ? {} : { example }) },
    ]),
  );
}
