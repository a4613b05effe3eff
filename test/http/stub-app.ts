import { Type } from "@sinclair/typebox";
import { subnets } from "../../src/config/addresses.ts";
import { Problem } from "../../src/config/values.ts";
import type { AccountCaller } from "../../src/domain/accounts/caller.ts";
import { CofferError, notFound } from "../../src/domain/errors.ts";
import { type KeyId, newId, type UserId, type UserPk } from "../../src/domain/id.ts";
import type { Subnet } from "../../src/domain/network/address.ts";
import { createHandler, type HandlerOptions } from "../../src/http/handler.ts";
import { operation } from "../../src/http/operation/route.ts";
import { write, writeContent } from "../../src/http/operation/write.ts";
import { type Connections, RequestContext } from "../../src/http/gate/request-context.ts";
import { ownOrigin, surelyOwnOrigin } from "../../src/http/gate/origins.ts";
import { flag, nullable } from "../../src/http/operation/schema.ts";
import { Server } from "../../src/http/server.ts";
import type { Log } from "../../src/process/log.ts";
import { FakeClock } from "../support/server/fake-clock.ts";
import { RawClient } from "./raw-client.ts";

const NOW = Date.UTC(2030, 0, 1);

/** The header with a key that may do everything. */
export const KEY = "Authorization: Bearer team\r\n";

interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A log that keeps its lines, for tests to look at. */
export class RecordedLog implements Log {
  readonly lines: LogLine[] = [];
  readonly info = this.#at("info");
  readonly warn = this.#at("warn");
  readonly error = this.#at("error");

  #at(level: LogLine["level"]): Log["info"] {
    return (message, fields = {}) => void this.lines.push({ level, message, fields: { ...fields } });
  }

  ofLevel(level: LogLine["level"]): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }
}

const USER_ID = newId<UserId>(NOW);
const KEY_IDS = new Map(["writer", "reader", "team"].map((name) => [name, newId<KeyId>(NOW)]));

function isUserPk(value: number): value is UserPk {
  return Number.isInteger(value);
}

/** The raw keys `writer`, `reader` and `team`; everything else is unknown. */
export function authenticate(rawKey: string): AccountCaller | null {
  const keyId = KEY_IDS.get(rawKey);
  const userPk = 1;
  if (keyId === undefined || !isUserPk(userPk)) return null;
  const made = { madeBy: null, isApplication: false, userId: USER_ID, userPk };
  const scope = rawKey === "reader" ? "read-only" : "read-write";
  return { kind: "account", keyId, ...made, scope, plan: rawKey === "team" ? "team" : "free" };
}

const answers = [{ status: 200, description: "What was understood", json: Type.Object({}) }];

const thing = (operationId: string, summary: string) => ({ operationId, tag: "Things", summary, answers });

/** Routes of every shape that the real ones have. */
export function stubRoutes() {
  return [
    operation("GET", "/v0/things", {
      ...thing("listThings", "List things"),
      query: Type.Object({
        drive_id: Type.Optional(Type.String({ minLength: 1 })),
        page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
        limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
        inline: flag("Shows it"),
      }),
      handle: ({ query }) => Response.json(query),
    }),
    write("POST", "/v0/things", {
      ...thing("createThing", "Create a thing"),
      body: Type.Object({
        name: Type.String({ minLength: 1, maxLength: 64 }),
        scope: Type.Optional(Type.Union([Type.Literal("read-write"), Type.Literal("read-only")])),
        tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 5 }), { maxItems: 3 })),
        metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        expires_at: Type.Optional(nullable(Type.String())),
        confirm: Type.Optional(Type.Boolean()),
      }),
      answers: [{ status: 201, description: "The thing", json: Type.Object({}) }],
      errors: ["CONFLICT"],
      perform: async ({ body, caller }, reply) =>
        reply.with(() => ({ status: 201, json: { ...body, by: caller.kind } }))(null),
    }),
    writeContent("PUT", "/v0/things", {
      ...thing("putThing", "Put a thing's bytes"),
      rawBody: {
        limit: 300 * 1024 * 1024,
        content: { "application/octet-stream": Type.String({ format: "binary" }) },
      },
      perform: async ({ request, context }, reply) => {
        let received = 0;
        for await (const piece of request.body ?? []) {
          received += piece.length;
          context.keepAlive();
        }
        reply.with(() => ({ json: { received }, identity: "" }))(null);
      },
      identify: () => Promise.resolve(""),
    }),
    write("DELETE", "/v0/things", {
      ...thing("deleteThings", "Delete things"),
      body: Type.Object({ confirm: Type.Optional(Type.Boolean()) }),
      perform: async ({ body }, reply) => reply.with(() => ({ json: body }))(null),
    }),
    operation("GET", "/v0/things/:id", {
      ...thing("getThing", "Get a thing"),
      params: Type.Object({ id: Type.String() }),
      errors: ["NOT_FOUND"],
      handle: ({ params, context }) => {
        if (params.id === "missing") throw notFound("file");
        return Response.json({ id: params.id, client: context.client });
      },
    }),
    operation("GET", "/v0/things/:id/fails/:how", {
      ...thing("failThing", "Fail in some way"),
      params: Type.Object({ id: Type.String(), how: Type.String() }),
      handle: ({ params }) => FAILURES[params.how]?.() ?? new Response(),
    }),
    operation("GET", "/v0/presigned/:token", {
      ...thing("openLink", "Open a link"),
      public: true,
      params: Type.Object({ token: Type.String() }),
      errors: ["NOT_FOUND"],
      handle: () => {
        throw notFound("file");
      },
    }),
    write("POST", "/v0/drives/provision", {
      ...thing("provisionDrive", "Provision a drive"),
      public: true,
      body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }) }),
      answers: [{ status: 201, description: "The drive", json: Type.Object({}) }],
      perform: async ({ body, context }, reply) =>
        reply.with(() => ({ status: 201, json: { name: body.name, known: context.caller !== null } }))(null),
    }),
  ];
}

const FAILURES: Readonly<Record<string, () => Response | Promise<Response>>> = {
  throws: () => {
    throw new Error("the secret detail");
  },
  rejects: () => Promise.reject(new Error("the secret detail")),
  "bad-header": () => new Response("x", { headers: { "x-name": "a\r\nb: c" } }),
  "non-latin-header": () => new Response("x", { headers: { "x-name": "日本" } }),
  refuses: () => Promise.reject(new CofferError("STORAGE_FULL", "The disk is full.")),
};

/** Trusted proxies, as the settings have them; by default none. */
export function trusted(list = ""): readonly Subnet[] {
  const found = list === "" ? [] : subnets(list);
  if (found instanceof Problem) throw new Error(found.text);
  return found;
}

function beginAttempt(): never {
  throw new Error("the stubs keep no answers");
}

/** The context of a request to a server of a test's own. */
export function contextOf(request: Request, connections: Connections): RequestContext {
  const parts = {
    basePath: "",
    addressOf: () => null,
    clientOf: () => "",
    isTrustedPeer: () => false,
    cutSocket: () => false,
    beginAttempt,
  };
  return new RequestContext(request, connections, parts);
}

/** A stub appliance behind a real socket; `await using` stops it. */
export function startStub(overrides: Partial<HandlerOptions> = {}) {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const handler = createHandler({
    clock,
    log,
    tracer: null,
    authenticate,
    authenticateSession: () => null,
    originOf: ownOrigin(null),
    mcpOriginOf: surelyOwnOrigin(null),
    challenge: () => {},
    ready: () => Promise.resolve([]),
    backup: () => null,
    unavailableDisks: () => 0,
    scrub: () => null,
    figures: () => Promise.reject(new Error("the stub counts nothing")),
    metricsToken: null,
    ownerToken: () => "an owner",
    rateLimits: { free: 60, pro: 300, team: 100_000_000 },
    holdSnapshot: () => {},
    beginAttempt,
    countRequest: () => {},
    countRefusal: () => {},
    auditRefusal: () => {},
    provisioning: true,
    trustedProxies: [],
    corsOrigins: "*",
    baseUrl: "https://drive.test",
    basePath: "",
    strictTransport: null,
    version: "1.2.3",
    routes: stubRoutes(),
    ...overrides,
  });
  const server = new Server({ at: { host: "127.0.0.1", port: 0 }, handler, log, tls: null });
  const url = `http://127.0.0.1:${server.port}`;
  const send = (path: string, init: RequestInit & { key?: string | null } = {}) => {
    const { key = "team", ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== null && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`);
    return fetch(new URL(path, url), { redirect: "manual", ...rest, headers });
  };
  const connect = () => RawClient.to(server.port);
  return { clock, log, handler, server, url, send, connect, [Symbol.asyncDispose]: () => server.stop(0) };
}
