import { Type } from "@sinclair/typebox";
import type { TObject, TSchema } from "@sinclair/typebox";
import type { ErrorCode } from "../../domain/errors.ts";
import { withoutOtherNames } from "./known-fields.ts";
import { withOptionalNulls } from "./optional-nulls.ts";
import { shownExample } from "./examples.ts";
import type { Answer, AnyOperation } from "./spec.ts";
import { isStrictPath } from "./unknown-names.ts";

/** What a route carries of its operation. */
export interface RouteDetail {
  readonly operationId: string;
  /** Whether it needs no key. */
  readonly isPublic: boolean;
  /** Made when it is asked for: all of them together take long, and a start would wait for them. */
  readonly describe: () => OperationDetail;
}

/** An OpenAPI operation, without what depends on its method and path: `openapi.ts` adds that. */
export interface OperationDetail {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Described>;
  /** Turned into responses, together with the errors that any such route may return. */
  "x-errors": ErrorCode[];
  /** Whether it needs no key. */
  "x-public": boolean;
  /** Whether it takes an Idempotency-Key. */
  "x-keyed": boolean;
  /** Whether it uses the session if there is one, without needing one. */
  "x-reads-session": boolean;
  /** Whether it answers otherwise with a key, without needing one. */
  "x-reads-key": boolean;
  /** Whether its errors have the shape that OAuth gives them. */
  "x-oauth": boolean;
}

/** An OpenAPI parameter. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: TSchema;
}

/** A successful OpenAPI response, without the headers of every response. */
export interface Described {
  description: string;
  headers?: Record<string, { description: string; required: true; schema: { type: "string" } }>;
  content?: Content;
}

type Content = Record<string, { schema: TSchema; example?: unknown }>;

export function detailOf(path: string, spec: AnyOperation, isKeyed: boolean): RouteDetail {
  return {
    operationId: spec.operationId,
    isPublic: spec.public === true,
    describe: () => describeOperation(path, spec, isKeyed),
  };
}

/** Describes an operation for OpenAPI. The schemas are the same objects that requests are checked against. */
function describeOperation(path: string, spec: AnyOperation, isKeyed: boolean): OperationDetail {
  const requestContent = requestContentOf(spec, isStrictPath(path));
  return {
    operationId: spec.operationId,
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    tags: [spec.tag],
    parameters: [
      ...parameters("path", spec.params),
      ...parameters("query", spec.query),
      ...Object.entries(spec.headers ?? {}).map(([name, description]) => header(name, description)),
    ],
    ...(requestContent === undefined
      ? {}
      : { requestBody: { required: isBodyRequired(spec), content: requestContent } }),
    responses: Object.fromEntries(
      spec.answers.map((answer, index) => [
        String(answer.status ?? 200),
        describeAnswer(answer, index === 0),
      ]),
    ),
    "x-errors": [...(spec.errors ?? [])],
    "x-public": spec.public === true,
    "x-keyed": isKeyed,
    "x-reads-session": spec.readsSession === true,
    "x-reads-key": spec.readsKey === true,
    "x-oauth": spec.isOAuth === true,
  };
}

function isBodyRequired(spec: AnyOperation): boolean {
  return "rawBody" in spec || spec.bodyOptional !== true;
}

function requestContentOf(spec: AnyOperation, isStrict: boolean) {
  const shown = (schema: TSchema) => (isStrict ? withoutOtherNames(schema) : schema);
  if (!("rawBody" in spec)) return spec.body && bodyOf("application/json", shown(spec.body), spec.example);
  const examples = spec.rawBody.examples ?? {};
  return Object.fromEntries(
    Object.entries(spec.rawBody.content).flatMap(([type, schema]) =>
      Object.entries(bodyOf(type, shown(schema), examples[type])),
    ),
  );
}

function bodyOf(type: string, schema: TSchema, example: unknown): Content {
  return contentOf({ [type]: type === "application/json" ? withOptionalNulls(schema) : schema }, example);
}

function parameters(place: "path" | "query", schema: TObject | undefined): Parameter[] {
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

function header(name: string, description: string): Parameter {
  return { name, in: "header", required: false, description, schema: Type.String() };
}

function describeAnswer(
  { description, json, content, headers, example }: Answer,
  isFirst: boolean,
): Described {
  const shown = example ?? (isFirst && json !== undefined ? shownExample(json) : undefined);
  const schemas = content ?? (json && { "application/json": json });
  return {
    description,
    ...(headers === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, text]) => [
              name,
              { description: text, required: true as const, schema: { type: "string" as const } },
            ]),
          ),
        }),
    ...(schemas === undefined ? {} : { content: contentOf(schemas, shown) }),
  };
}

function contentOf(schemas: Readonly<Record<string, TSchema>>, example?: unknown): Content {
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema, ...(example === undefined || type === "text/event-stream" ? {} : { example }) },
    ]),
  );
}
