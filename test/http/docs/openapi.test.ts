import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { describeApi } from "../../../src/http/docs/openapi.ts";
import { OVERVIEW } from "../../../src/http/docs/overview.ts";
import { operation, type Route } from "../../../src/http/operation/route.ts";
import { startStub, stubRoutes } from "../stub-app.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { isThorough } from "../../support/server/thorough.ts";

const ref = (name: string) => ({ $ref: `#/components/${name}` });

/** Routes outside `/v0`, one of which is not made by `operation`. */
function door(): Route[] {
  const answers = [{ status: 200, description: "D" }];
  const spec = { tag: "Sign-in", summary: "S", answers, handle: () => new Response(null) } as const;
  return [
    operation("POST", "/door/open", { ...spec, operationId: "open", errors: ["NOT_FOUND"] }),
    operation("POST", "/door/close", { ...spec, operationId: "close", readsSession: true }),
    { method: "GET", path: "/door/paint", answer: () => new Response("green") },
  ];
}

const NAMED = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", minLength: 1, maxLength: 64 } },
  additionalProperties: false,
};

const EVERYWHERE = {
  "X-Content-Type-Options": ref("headers/X-Content-Type-Options"),
  "X-Request-Id": ref("headers/X-Request-Id"),
};

const options = {
  routes: [...stubRoutes(), ...door()],
  baseUrl: "https://drive.test/base",
  version: "1.2.3",
};

test("no paragraph of the introduction has a line that would begin a list", () => {
  expect(OVERVIEW).not.toMatch(/^\d+[.)] /m);
});

/** What a pointer such as `/paths/~1v0~1things/get` leads to. */
function at(document: unknown, pointer: string): unknown {
  let node = document;
  for (const escaped of pointer.split("/").slice(1)) {
    const key = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    node = typeof node === "object" && node !== null ? Reflect.get(node, key) : undefined;
  }
  return node;
}

const described = await describeApi(options);

describe("the API description", () => {
  const facts: Readonly<Record<string, readonly [pointer: string, value: unknown]>> = {
    "its version": ["/openapi", "3.1.0"],
    "the service's version": ["/info/version", "1.2.3"],
    "the configured address": ["/servers", [{ url: "https://drive.test/base" }]],
    "a key or a session on every operation": ["/security", [{ apiKey: [] }, { session: [] }]],
    "the session's cookie": [
      "/components/securitySchemes/session",
      {
        type: "apiKey",
        in: "cookie",
        name: "coffer_session",
        description: expect.stringContaining("Origin"),
      },
    ],
    "no key on a public one": ["/paths/~1v0~1drives~1provision/post/security", []],
    "no exception elsewhere": ["/paths/~1v0~1things/post/security", undefined],
    "an integer with its range and default, not required": [
      "/paths/~1v0~1things/get/parameters/1",
      {
        name: "page",
        in: "query",
        required: false,
        schema: { type: "integer", minimum: 1, maximum: 1_000_000, default: 1 },
      },
    ],
    "a path parameter": [
      "/paths/~1v0~1things~1{id}/get/parameters",
      [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    ],
    "a JSON body by its own media type alone": [
      "/paths/~1v0~1drives~1provision/post/requestBody",
      { required: true, content: { "application/json": { schema: NAMED } } },
    ],
    "a raw body": [
      "/paths/~1v0~1things/put/requestBody/content",
      { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
    ],
    "a write's 403, also for a response that there is no room to keep": [
      "/paths/~1v0~1things/post/responses/403",
      ref("responses/FORBIDDEN-QUOTA_EXCEEDED"),
    ],
    "no 403 for a read": ["/paths/~1v0~1things/get/responses/403", undefined],
    "no 401 where no key is needed": ["/paths/~1v0~1drives~1provision/post/responses/401", undefined],
    "a route's own refusal": [
      "/paths/~1v0~1things/post/responses/409",
      ref("responses/CONFLICT-IDEMPOTENCY_IN_PROGRESS"),
    ],
    "a write's Idempotency-Key": ["/paths/~1v0~1things/post/parameters", [ref("parameters/Idempotency-Key")]],
    "no Idempotency-Key on a read": ["/paths/~1v0~1things~1{id}/get/responses/422", undefined],
    "no private notes": ["/paths/~1v0~1things/post/x-errors", undefined],
    "no security where nobody need be signed in": ["/paths/~1door~1open/post/security", []],
    "a session that is looked at where nobody need be": [
      "/paths/~1door~1close/post/security",
      [{ session: [] }, {}],
    ],
    "no Idempotency-Key outside /v0": ["/paths/~1door~1open/post/parameters", undefined],
    "the headers of an answer outside /v0, where nothing is counted": [
      "/paths/~1door~1open/post/responses/200/headers",
      EVERYWHERE,
    ],
    "those of a refusal there": [
      "/components/responses/NOT_FOUND-outside-v0/headers",
      { Link: expect.objectContaining({ required: true }), ...EVERYWHERE },
    ],
    "no limit there but a route's own": ["/paths/~1door~1open/post/responses/429", undefined],
  };
  test.each(Object.entries(facts))("tells %s", (_, [pointer, value]) => {
    expect(at(described, pointer)).toEqual(value);
  });

  test("describes the routes that say what they do, and nothing else", () => {
    expect(Object.keys(at(described, "/paths") ?? {}).toSorted()).toEqual([
      "/door/close",
      "/door/open",
      "/v0/drives/provision",
      "/v0/presigned/{token}",
      "/v0/things",
      "/v0/things/{id}",
      "/v0/things/{id}/fails/{how}",
    ]);
  });

  test("is served as it is", async () => {
    await using app = startStub(options);
    const response = await app.send("/docs/openapi.json", { key: null });
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(described)));
  });
});

describe("the description of the real routes", () => {
  const provider = {
    "oidc-issuer": "https://accounts.example",
    "oidc-client-id": "coffer",
    "oidc-client-secret": "secret",
    "base-url": "https://drive.example",
  };
  const descriptions: [name: string, settings: Record<string, string>][] = [
    ["with a sign-in provider", provider],
    ["with passwords alone", {}],
  ];
  test.each(isThorough() ? descriptions : descriptions.slice(0, 1))(
    "passes redocly's recommended rules without a warning, %s",
    async (_, settings) => {
      await using coffer = await startAppliance(settings);
      const file = join(coffer.dataDir, "openapi.json");
      await Bun.write(file, await coffer.client().fetch("GET", "/docs/openapi.json"));
      // `/v0/drives/claim/{token}` and `/v0/drives/{id}/snapshots` only look alike: a token begins with "clm_".
      const rules = ["--extends", "recommended", "--skip-rule", "no-ambiguous-paths"];
      const command = ["x", "--bun", "redocly", "lint", ...rules, "--format", "json", file];
      const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      const lint = Bun.spawn([process.execPath, ...command], { env, stderr: "ignore" });
      const report: unknown = await new Response(lint.stdout).json();
      expect(report).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0 } });
    },
  );
});

describe("shared schemas", () => {
  const thing = Type.Object({ id: Type.String() }, { $id: "Thing" });
  const other = Type.Object({ name: Type.String() }, { $id: "Thing" });
  const answering = (path: string, operationId: string, json: typeof thing | typeof other) =>
    operation("GET", path, {
      operationId,
      tag: "Files",
      summary: "S",
      answers: [{ status: 200, description: "D", json }],
      handle: () => Response.json({}),
    });

  test("are written once and referred to", async () => {
    const routes = [answering("/v0/a", "a", thing), answering("/v0/b", "b", thing)];
    const document = await describeApi({ ...options, routes });
    expect(at(document, "/components/schemas/Thing")).toEqual({
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" } },
    });
    for (const path of ["a", "b"]) {
      const schema = `/paths/~1v0~1${path}/get/responses/200/content/application~1json/schema`;
      expect(at(document, schema)).toEqual(ref("schemas/Thing"));
    }
  });

  test("must not share a name when they differ", () => {
    const routes = [answering("/v0/a", "a", thing), answering("/v0/b", "b", other)];
    expect(describeApi({ ...options, routes })).rejects.toThrow("two schemas are named Thing");
  });
});
