import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { ERROR_STATUS, HttpRefusal, errorResponse } from "../../../src/http/gate/errors.ts";
import { RecordedLog, startStub } from "../stub-app.ts";

/** The response to an error, and what is logged of it. */
function respond(error: unknown) {
  const log = new RecordedLog();
  return { log, response: errorResponse(error, "r1", log) };
}

describe("errorResponse", () => {
  test("shows a refusal as it stands", async () => {
    const { log, response } = respond(new CofferError("VALIDATION_ERROR", "name is required", "name"));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { code: "VALIDATION_ERROR", message: "name is required", field: "name", request_id: "r1" },
    });
    expect(log.lines).toEqual([]);
  });

  test("leaves `field` out where there is none", async () => {
    const body: unknown = await respond(new CofferError("GONE", "Gone.")).response.json();
    expect(body).toEqual({ error: { code: "GONE", message: "Gone.", request_id: "r1" } });
  });

  test("adds a refusal's own headers", () => {
    const refusal = new HttpRefusal("RANGE_NOT_SATISFIABLE", "No.", { "content-range": "bytes */5" });
    const { response } = respond(refusal);
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */5"]);
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
  const long = { method: "POST", body: "x".repeat(2 ** 21) };
  const refused: readonly Refused[] = [
    ["a refusal", "/v0/things/1/fails/refuses", {}, 507, "STORAGE_FULL"],
    ["a refusal that shares its code with the router's", "/v0/things/missing", {}, 404, "NOT_FOUND"],
    ["an unknown route", "/v0/nothing", {}, 404, "NOT_FOUND"],
    ["an unknown route outside /v0", "/nothing", {}, 404, "NOT_FOUND"],
    ["malformed JSON", "/v0/things", { method: "POST", body: "{" }, 400, "VALIDATION_ERROR"],
    ["an announced body that is too long", "/v0/things", long, 413, "PAYLOAD_TOO_LARGE"],
  ];
  for (const [name, path, init, status, code] of refused) {
    it(`${name}: ${status} ${code}`, async (app) => {
      const response = await app.send(path, init);
      expect(response.status).toBe(status);
      expect(response.headers.get("x-request-id")).not.toBeNull();
      expect(response.headers.has("x-ratelimit-limit")).toBe(path.startsWith("/v0"));
      expect(await response.json()).toMatchObject({
        error: { code, request_id: response.headers.get("x-request-id") },
      });
      expect(app.log.ofLevel("error")).toEqual([]);
    });
  }
});

describe("methods", () => {
  const refused: readonly (readonly [method: string, path: string, allow: string])[] = [
    ["PATCH", "/v0/things", "DELETE, GET, HEAD, POST, PUT"],
    ["OPTIONS", "/v0/things/", "DELETE, GET, HEAD, POST, PUT"],
    ["DELETE", "/v0/things/some%2Fid", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
  ];
  for (const [method, path, allow] of refused) {
    it(`${method} ${path} is 405 with Allow`, async (app) => {
      const response = await app.send(path, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
      expect(await response.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
    });
  }

  it("HEAD answers as GET does, without the body", async (app) => {
    for (const path of ["/v0/things", "/v0/things/missing", "/healthz"]) {
      const [get, head] = [await app.send(path), await app.send(path, { method: "HEAD" })];
      expect(head.status).toBe(get.status);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(await head.text()).toBe("");
    }
  });
});

describe("health", () => {
  test("readyz says unavailable without detail, which is in the log", async () => {
    const broken = new Error("the disk at /somewhere is gone");
    await using app = startStub({ ready: () => Promise.reject(broken) });
    const response = await app.send("/readyz", { key: null });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: "unavailable",
      request_id: response.headers.get("x-request-id"),
    });
    expect(app.log.ofLevel("error")).toMatchObject([{ message: "not ready", fields: { error: broken } }]);
    expect((await app.send("/healthz", { key: null })).status).toBe(200);
  });

  test("readyz says unavailable and which problems there are, and logs nothing by itself", async () => {
    await using app = startStub({ ready: () => Promise.resolve(["storage_full"]) });
    const response = await app.send("/readyz", { key: null });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: "unavailable",
      problems: ["storage_full"],
      request_id: response.headers.get("x-request-id"),
    });
    expect(app.log.ofLevel("error")).toEqual([]);
  });

  it("readyz is ok when what it depends on answers", async (app) => {
    const response = await app.send("/readyz", { key: null });
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  });
});
