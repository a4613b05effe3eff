import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { AnyElysia } from "elysia";
import type { ErrorCode } from "../../domain/errors.ts";
import { ERROR_STATUS } from "../errors.ts";
import { PUBLIC_ROUTES } from "../gate.ts";
import {
  IDEMPOTENCY_KEY_PARAMETER,
  SHARED_COMPONENTS,
  TAGS,
  errorResponses,
  withCommonHeaders,
  withReplayHeader,
} from "./components.ts";
import type { OperationDetail } from "./describe.ts";
import { hoistSchemas } from "./hoist-schemas.ts";
import { OVERVIEW } from "./overview.ts";

export interface DescriptionOptions {
  /** The routes to describe, each made by `operation`. */
  readonly api: readonly AnyElysia[];
  /** Where callers reach this service: a URL without trailing slash, or `/`. */
  readonly baseUrl: string;
  readonly version: string;
}

/** What the plugin makes of routes: their details, by path and lower-case method. */
interface Listing {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDetail>>>>;
}

const LISTING_PATH = "/listing";

/** Describes the routes as an OpenAPI 3.1 document, since TypeBox schemas are JSON Schema as 3.1 takes it. */
export async function describeApi({ api, baseUrl, version }: DescriptionOptions): Promise<object> {
  const { paths } = await listOperations(api);
  const usedErrors = new Map<string, readonly ErrorCode[]>();
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
    security: [{ apiKey: [] }],
    tags: TAGS.filter(({ name }) => usedTags.has(name)),
    paths: described,
    components: { ...SHARED_COMPONENTS, responses: errorResponses(usedErrors) },
  });
}

/** The plugin's own pages load from elsewhere: only its listing is asked for, and only by us. */
async function listOperations(api: readonly AnyElysia[]): Promise<Listing> {
  const lister = new Elysia()
    .use(swagger({ specPath: LISTING_PATH, excludeStaticFile: false }))
    .use([...api]);
  const response = await lister.handle(new Request(`http://localhost${LISTING_PATH}`));
  const listing: Listing = JSON.parse(await response.text());
  return listing;
}

function complete(
  path: string,
  method: string,
  detail: OperationDetail,
  usedErrors: Map<string, readonly ErrorCode[]>,
): object {
  const {
    "x-errors": ownErrors,
    "x-changes-nothing": changesNothing,
    parameters: ownParameters,
    responses,
    ...rest
  } = detail;
  const isKeyed = path.startsWith("/v0/") && method !== "get" && !changesNothing;
  const parameters = isKeyed ? [...ownParameters, IDEMPOTENCY_KEY_PARAMETER] : ownParameters;
  const isPublic = PUBLIC_ROUTES.some(
    (route) => route.path === path && route.methods.includes(method.toUpperCase()),
  );
  const errors = new Set(ownErrors);
  errors.add("RATE_LIMITED").add("INTERNAL");
  if (!isPublic) errors.add("UNAUTHORIZED");
  if (!isPublic && method !== "get") errors.add("FORBIDDEN");
  if (parameters.length > 0 || detail.requestBody !== undefined) errors.add("VALIDATION_ERROR");
  if (detail.requestBody !== undefined) errors.add("PAYLOAD_TOO_LARGE");
  if (isKeyed) errors.add("IDEMPOTENCY_IN_PROGRESS").add("IDEMPOTENCY_KEY_REUSED");

  const all: Record<string, object> = {};
  for (const [status, response] of Object.entries(responses)) {
    all[status] = isKeyed ? withReplayHeader(withCommonHeaders(response)) : withCommonHeaders(response);
  }
  for (const codes of byStatus(errors)) {
    const name = codes.join("-");
    usedErrors.set(name, codes);
    all[String(ERROR_STATUS[codes[0]])] = { $ref: `#/components/responses/${name}` };
  }
  return {
    ...rest,
    ...(isPublic ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: all,
  };
}

/** Codes that share a status share a response; sorted, so that equal sets share their name as well. */
function byStatus(errors: ReadonlySet<ErrorCode>): [ErrorCode, ...ErrorCode[]][] {
  const groups = new Map<number, [ErrorCode, ...ErrorCode[]]>();
  for (const code of [...errors].toSorted()) {
    const group = groups.get(ERROR_STATUS[code]);
    if (group === undefined) groups.set(ERROR_STATUS[code], [code]);
    else group.push(code);
  }
  return [...groups.values()];
}
