import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { ErrorCode } from "../../domain/errors.ts";
import { ERROR_STATUS } from "../gate/errors.ts";
import { isSharedPath } from "../gate/origins.ts";
import { isGuardedPath } from "../gate/route-table.ts";
import {
  ANY_ERROR,
  type ErrorGroup,
  errorResponses,
  IDEMPOTENCY_KEY_PARAMETER,
  type Place,
  SHARED_COMPONENTS,
  withCommonHeaders,
} from "./components.ts";
import type { Route } from "../operation/route.ts";
import type { AnyOperation } from "../operation/spec.ts";
import type { OperationDetail, PlacedOperation } from "./describe.ts";
import { errorsOf, needsKey, operationsIn, TAGS } from "./describe.ts";
import { OVERVIEW } from "./overview.ts";

export interface DescriptionOptions {
  /** The routes to describe. */
  readonly routes: readonly Route[];
  /** The server's address: a URL without a trailing slash, or `/`. */
  readonly baseUrl: string;
  readonly version: string;
}

/** What the plugin returns for routes: operations by path and lower-case method. */
interface Listing {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDetail>>>>;
}

const LISTING_PATH = "/listing";

/** Describes the routes as an OpenAPI 3.1 document: TypeBox schemas are JSON Schema as 3.1 uses it. */
export async function describeApi({ routes, baseUrl, version }: DescriptionOptions): Promise<object> {
  const operations = operationsIn(routes);
  const listed = await listOperations(operations);
  const usedErrors = new Map<string, ErrorGroup>();
  const paths: Record<string, Record<string, object>> = {};
  const byPath = Map.groupBy(operations, ({ path }) => path);
  for (const operation of [...byPath.values()].flat()) {
    const { path } = operation;
    const method = operation.method.toLowerCase();
    const detail = listed.paths[path]?.[method];
    if (detail === undefined) throw new Error(`the description lacks ${method} ${path}`);
    (paths[path] ??= {})[method] = complete(operation, detail, usedErrors);
  }
  const usedTags = new Set(operations.flatMap(({ detail }) => detail.tags));
  return hoistSchemas({
    openapi: "3.1.0",
    info: { title: "Coffer", version, description: OVERVIEW, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: TAGS.filter(({ name }) => usedTags.has(name)),
    paths,
    components: { ...SHARED_COMPONENTS, responses: errorResponses(usedErrors) },
  });
}

/**
 * Only the plugin's listing is used, and only here: its own pages load from other hosts. It takes a description from
 * a route's hooks, so it gets routes of its own that have one.
 */
async function listOperations(operations: readonly PlacedOperation[]): Promise<Listing> {
  const lister = new Elysia().use(swagger({ specPath: LISTING_PATH, excludeStaticFile: false }));
  for (const { method, path, detail } of operations) {
    lister.route(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), "", { detail });
  }
  const response = await lister.handle(new Request(`http://localhost${LISTING_PATH}`));
  const listing: Listing = JSON.parse(await response.text());
  return listing;
}

function complete(
  operation: PlacedOperation,
  { parameters: ownParameters, responses, ...rest }: OperationDetail,
  usedErrors: Map<string, ErrorGroup>,
): object {
  const { path, spec, isKeyed } = operation;
  const isOAuth = spec.isOAuth === true;
  const place = { isCounted: isGuardedPath(path), isShared: isSharedPath(path) };
  const parameters = isKeyed ? [...ownParameters, IDEMPOTENCY_KEY_PARAMETER] : ownParameters;
  const all: Record<string, object> = {};
  for (const [status, response] of Object.entries(responses))
    all[status] = withCommonHeaders(response, place, isKeyed);
  for (const codes of byStatus(errorsOf(operation))) {
    const name = codes.join("-") + suffixOf(place) + (isOAuth ? "-oauth" : "");
    usedErrors.set(name, { codes, ...place, isOAuth });
    all[String(ERROR_STATUS[codes[0]])] = { $ref: `#/components/responses/${name}` };
  }
  const isRedirect = Object.keys(responses).every((status) => status.startsWith("3"));
  if (isRedirect) all["default"] = ANY_ERROR;
  return {
    ...rest,
    ...(needsKey(operation) ? {} : { security: openTo(spec) }),
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: all,
  };
}

/** Tells the responses in one kind of place from those elsewhere. */
function suffixOf({ isCounted, isShared }: Place): string {
  if (isCounted) return "";
  return isShared ? "-shared" : "-outside-v0";
}

/** Nobody need say who they are; some routes use it if they do. */
function openTo({ readsSession = false, readsKey = false }: AnyOperation): object[] {
  const used = [...(readsSession ? [{ session: [] }] : []), ...(readsKey ? [{ apiKey: [] }] : [])];
  return used.length === 0 ? [] : [...used, {}];
}

/** Groups codes that share a status. Sorted, so that equal sets get the same name. */
function byStatus(errors: ReadonlySet<ErrorCode>): [ErrorCode, ...ErrorCode[]][] {
  const groups = new Map<number, [ErrorCode, ...ErrorCode[]]>();
  for (const code of [...errors].toSorted()) {
    const group = groups.get(ERROR_STATUS[code]);
    if (group === undefined) groups.set(ERROR_STATUS[code], [code]);
    else group.push(code);
  }
  return [...groups.values()];
}

interface Document {
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly [kind: string]: object;
  };
  readonly [part: string]: unknown;
}

/**
 * Moves every schema with an `$id` to the document's components, once, and leaves a reference in its place. Throws if
 * two different schemas have the same `$id`.
 */
function hoistSchemas(document: Document): object {
  const hoisted = new Map<string, object>(Object.entries(document.components.schemas));
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
    const { $id: name, ...schema } = copy;
    if (typeof name !== "string") return copy;
    const known = hoisted.get(name);
    if (known !== undefined && !Bun.deepEquals(known, schema))
      throw new Error(`two schemas are named ${name}`);
    hoisted.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  };
  const { components, ...rest } = document;
  const visited = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, visit(value)]));
  return { ...visited, components: { ...components, schemas: Object.fromEntries(hoisted) } };
}
