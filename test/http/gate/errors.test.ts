import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { ERROR_STATUS, HttpRefusal, errorResponse } from "../../../src/http/gate/errors.ts";
import type { HandlerOptions } from "../../../src/http/handler.ts";
import { RecordedLog, startStub } from "../stub-app.ts";

/** The response to an error, and what is logged of it. */
function respond(error: unknown) {
  const log = new RecordedLog();
  return { log, response: errorResponse(error, "r1", log) };
}

describe("errorResponse", () => {
  test("shows a refusal as it stands, `field` only where there is one, and its own headers", async () => {
    const { log, response } = respond(new CofferError("VALIDATION_ERROR", "name is required", "name"));
    const error = { code: "VALIDATION_ERROR", message: "name is required", field: "name", request_id: "r1" };
    expect([response.status, await response.json(), log.lines]).toEqual([400, { error }, []]);
    const gone = await respond(new CofferError("GONE", "Gone.")).response.json();
    expect(gone).toEqual({ error: { code: "GONE", message: "Gone.", request_id: "r1" } });
    const refusal = new HttpRefusal("RANGE_NOT_SATISFIABLE", "No.", { "content-range": "bytes */5" });
    const { status, headers } = respond(refusal).response;
    expect([status, headers.get("content-range")]).toEqual([416, "bytes */5"]);
  });

  test("tells to retry at once when an idempotent request is in progress", () => {
    const { response } = respond(new CofferError("IDEMPOTENCY_IN_PROGRESS", "Wait."));
    expect(response.headers.get("retry-after")).toBe("1");
  });

  for (const code of ["EMFILE", "ENFILE", "SQLITE_CANTOPEN"]) {
    test(`${code}: no file can be opened for now, so 503 and when to try again`, async () => {
      const { log, response } = respond(Object.assign(new Error("secret"), { code }));
      expect(response.status).toBe(ERROR_STATUS.UNAVAILABLE);
      expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(await response.json()).toMatchObject({ error: { code: "UNAVAILABLE", request_id: "r1" } });
      expect(log.ofLevel("warn")).toHaveLength(1);
    });
  }

  for (const thrown of [new Error("secret"), "secret", null, { code: "NOT_FOUND" }]) {
    test(`hides anything else: ${Bun.inspect(thrown).slice(0, 20)}`, async () => {
      const { log, response } = respond(thrown);
      expect(response.status).toBe(ERROR_STATUS.INTERNAL);
      const text = await response.text();
      expect(text).not.toContain("secret");
      expect(JSON.parse(text)).toMatchObject({ error: { code: "INTERNAL", request_id: "r1" } });
      expect(log.lines).toEqual([
        { level: "error", message: "request failed", fields: { request_id: "r1", error: thrown } },
      ]);
    });
  }
});

const it = testWith(startStub);
const post = (body: string) => ({ method: "POST", body });

describe("every way to fail", () => {
  for (const how of ["throws", "rejects", "bad-header", "non-latin-header"]) {
    it(`a handler that ${how} is a 500 with every header, its cause in the log`, async (app) => {
      const headers = { "x-request-id": "find-me" };
      const response = await app.send(`/v0/things/1/fails/${how}`, { headers });
      expect(response.status).toBe(500);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": expect.stringContaining("application/json"),
        "x-request-id": "find-me",
        "x-ratelimit-limit": "100000000",
        "x-ratelimit-remaining": expect.any(String),
        "x-ratelimit-reset": "60",
      });
      const text = await response.text();
      expect(text).not.toContain("secret detail");
      expect(JSON.parse(text)).toMatchObject({ error: { code: "INTERNAL", request_id: "find-me" } });
      expect(app.log.ofLevel("error")).toMatchObject([
        { fields: { request_id: "find-me", error: expect.any(Error) } },
      ]);
    });
  }

  type Refused = readonly [name: string, path: string, init: RequestInit, status: number, code: string];
  const [NOT_ALLOWED, ALL] = ["METHOD_NOT_ALLOWED", "DELETE, GET, HEAD, POST, PUT"];
  const refused: readonly (readonly [...Refused, allow?: string])[] = [
    ["a refusal", "/v0/things/1/fails/refuses", {}, 507, "STORAGE_FULL"],
    ["a refusal that shares its code with the router's", "/v0/things/missing", {}, 404, "NOT_FOUND"],
    ["an unknown route", "/v0/nothing", {}, 404, "NOT_FOUND"],
    ["an unknown route outside /v0", "/nothing", {}, 404, "NOT_FOUND"],
    ["malformed JSON", "/v0/things", post("{"), 400, "VALIDATION_ERROR"],
    ["an announced body that is too long", "/v0/things", post("x".repeat(2 ** 21)), 413, "PAYLOAD_TOO_LARGE"],
    ["a method that is none of a route's", "/v0/things", { method: "PATCH" }, 405, NOT_ALLOWED, ALL],
    ["OPTIONS, with a slash at the end", "/v0/things/", { method: "OPTIONS" }, 405, NOT_ALLOWED, ALL],
    ["DELETE of what is only read", "/v0/things/a%2Fb", { method: "DELETE" }, 405, NOT_ALLOWED, "GET, HEAD"],
    ["POST outside /v0", "/healthz", post(""), 405, NOT_ALLOWED, "GET, HEAD"],
  ];
  for (const [name, path, init, status, code, allow = null] of refused) {
    it(`${name}: ${status} ${code}`, async (app) => {
      const response = await app.send(path, init);
      expect([response.status, response.headers.get("allow")]).toEqual([status, allow]);
      expect(response.headers.get("x-request-id")).not.toBeNull();
      expect(response.headers.has("x-ratelimit-limit")).toBe(path.startsWith("/v0"));
      expect(await response.json()).toMatchObject({
        error: { code, request_id: response.headers.get("x-request-id") },
      });
      expect(app.log.ofLevel("error")).toEqual([]);
    });
  }
});

it("HEAD answers as GET does, without the body", async (app) => {
  for (const path of ["/v0/things", "/v0/things/missing", "/healthz"]) {
    const [get, head] = [await app.send(path), await app.send(path, { method: "HEAD" })];
    expect(head.status).toBe(get.status);
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(await head.text()).toBe("");
  }
});

describe("readyz", () => {
  const broken = new Error("the disk at /somewhere is gone");
  const logged = [{ message: "not ready", fields: { error: broken } }];
  type Ready = ReturnType<HandlerOptions["ready"]>;
  test.each<[name: string, ready: () => Ready, status: number, shown: object, errors: object[]]>([
    ["says unavailable without detail, which is in the log", () => Promise.reject(broken), 503, {}, logged],
    [
      "says which problems there are, and logs nothing by itself",
      async () => ["storage_full"],
      503,
      { problems: ["storage_full"] },
      [],
    ],
    ["is ok when what it depends on answers", async () => [], 200, {}, []],
  ])("%s", async (_, ready, status, shown, errors) => {
    await using app = startStub({ ready });
    const response = await app.send("/readyz", { key: null });
    const id = { request_id: response.headers.get("x-request-id") };
    const expected = status === 200 ? { status: "ok" } : { status: "unavailable", ...shown, ...id };
    expect([response.status, await response.json()]).toEqual([status, expected]);
    expect(app.log.ofLevel("error")).toMatchObject(errors);
    expect((await app.send("/healthz", { key: null })).status).toBe(200);
  });
});
