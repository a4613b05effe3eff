import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { ErrorCode } from "../../domain/errors.ts";
import { ERROR_STATUS } from "../gate/errors.ts";
import { isSharedPath } from "../gate/cors.ts";
import { isGuardedPath } from "../gate/guarded-paths.ts";
import {
  ANY_ERROR,
  IDEMPOTENCY_KEY_PARAMETER,
  SHARED_COMPONENTS,
  TAGS,
  errorResponses,
  withCommonHeaders,
  withReplayHeader,
} from "./components.ts";
import type { ErrorGroup, Place } from "./components.ts";
import type { OperationDetail } from "../operation/describe.ts";
import { hoistSchemas } from "./hoist-schemas.ts";
import type { Route } from "../operation/route.ts";
import { errorsOf, needsKey } from "./operations.ts";
import { OVERVIEW } from "./overview.ts";

export interface DescriptionOptions {
  /** The routes to describe. */
  readonly routes: readonly Route[];
  /** The server's address: a URL without a trailing slash, or `/`. */
  readonly baseUrl: string;
  readonly version: string;
}

/** Operations by path and lower-case method. */
type Operations = Readonly<Record<string, Readonly<Record<string, OperationDetail>>>>;

/** What the plugin returns for routes; it knows little about those not made by `operation`. */
interface Listing {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, OperationDetail | { "x-errors"?: never }>>>
  >;
}

const LISTING_PATH = "/listing";

/** Describes the routes as an OpenAPI 3.1 document: TypeBox schemas are JSON Schema as 3.1 uses it. */
export async function describeApi({ routes, baseUrl, version }: DescriptionOptions): Promise<object> {
  const paths = await listOperations(routes);
  const usedErrors = new Map<string, ErrorGroup>();
  const described = Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, detail]) => [
          method,
          complete(path, method, detail, usedErrors),
        ]),
      ),
    ]),
  );
  const usedTags = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)),
  );
  return hoistSchemas({
    openapi: "3.1.0",
    info: { title: "Coffer", version, description: OVERVIEW, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: TAGS.filter(({ name }) => usedTags.has(name)),
    paths: described,
    components: { ...SHARED_COMPONENTS, responses: errorResponses(usedErrors) },
  });
}

/**
 * Only the plugin's listing is used, and only here: its own pages load from other hosts. It takes a description from
 * a route's hooks, so it gets routes of its own that have one.
 */
async function listOperations(routes: readonly Route[]): Promise<Operations> {
  const lister = new Elysia().use(swagger({ specPath: LISTING_PATH, excludeStaticFile: false }));
  for (const { method, path, detail } of routes) {
    if (detail !== undefined) lister.route(method, path, "", { detail: detail.describe() });
  }
  const response = await lister.handle(new Request(`http://localhost${LISTING_PATH}`));
  const { paths }: Listing = JSON.parse(await response.text());
  const operations: Record<string, Record<string, OperationDetail>> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, detail] of Object.entries(methods)) {
      if (detail["x-errors"] !== undefined) (operations[path] ??= {})[method] = detail;
    }
  }
  return operations;
}

function complete(
  path: string,
  method: string,
  detail: OperationDetail,
  usedErrors: Map<string, ErrorGroup>,
): object {
  const {
    "x-errors": _errors,
    "x-public": _public,
    "x-keyed": isKeyed,
    "x-reads-session": readsSession,
    "x-reads-key": readsKey,
    "x-oauth": isOAuth,
    parameters: ownParameters,
    responses,
    ...rest
  } = detail;
  const place = { isCounted: isGuardedPath(path), isShared: isSharedPath(path) };
  const parameters = isKeyed ? [...ownParameters, IDEMPOTENCY_KEY_PARAMETER] : ownParameters;
  const isPublic = !needsKey({ path, detail });
  const all: Record<string, object> = {};
  for (const [status, response] of Object.entries(responses)) {
    const common = withCommonHeaders(response, place);
    all[status] = isKeyed ? withReplayHeader(common) : common;
  }
  for (const codes of byStatus(errorsOf({ method: method.toUpperCase(), path, detail }))) {
    const name = codes.join("-") + suffixOf(place) + (isOAuth ? "-oauth" : "");
    usedErrors.set(name, { codes, ...place, isOAuth });
    all[String(ERROR_STATUS[codes[0]])] = { $ref: `#/components/responses/${name}` };
  }
  const isRedirect = Object.keys(responses).every((status) => status.startsWith("3"));
  if (isRedirect) all["default"] = ANY_ERROR;
  return {
    ...rest,
    ...(isPublic ? { security: openTo({ session: readsSession, apiKey: readsKey }) } : {}),
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
function openTo(read: Readonly<Record<string, boolean>>): object[] {
  const schemes = Object.keys(read).filter((scheme) => read[scheme] === true);
  return schemes.length === 0 ? [] : [...schemes.map((scheme) => ({ [scheme]: [] })), {}];
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
