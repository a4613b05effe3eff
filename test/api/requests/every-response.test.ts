import { describe, expect, test } from "bun:test";
import { Description } from "../../support/schemas/description.ts";
import { expectCommonRules, expectJson, openStage, runScenarios } from "../../support/server/scenario.ts";
import { invalid, NOWHERE, refused, refuses, step } from "../../support/server/steps.ts";

// What every answer has is checked of each that is described in openapi-answers.test.ts, and at every step of a scenario.

const stage = openStage();

test("each answer has another X-Request-Id, and the log knows it", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => stage.world.clients.agent.send("GET", "/v0/drives")),
  );
  const ids = answers.map(({ headers }) => headers.get("x-request-id") ?? "");
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) expect(stage.coffer.lines.filter((line) => line.includes(id))).toHaveLength(1);
});

describe("a wrong method", () => {
  test("is 405 with Allow, everywhere", async () => {
    const { operations } = await Description.of(stage.coffer.client());
    for (const template of new Set(operations.map((each) => each.path))) {
      const path = template.replaceAll(/\{\w+\}/g, stage.world.files.ada);
      // A path without parameters is itself, even if it has the shape of others: `/v0/drives/provision` is no drive.
      const isLike = (other: string) =>
        template === path
          ? other === path
          : new RegExp(`^${other.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
      const known = new Set(operations.filter((each) => isLike(each.path)).map(({ method }) => method));
      // The dashboard's own page, which no program asks for and the description leaves out.
      if (path === "/auth/setup") known.add("GET");
      if (known.has("GET")) known.add("HEAD");
      const allowed = [...known].toSorted();
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (allowed.includes(method)) continue;
        const answer = await stage.world.clients.ada.send(method, path);
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect([path, answer.headers.get("allow")]).toEqual([path, allowed.join(", ")]);
        if (path.startsWith("/v0/")) expectCommonRules(method, answer);
        if (method !== "HEAD") expectJson(answer.text, { error: { code: "METHOD_NOT_ALLOWED" } });
      }
    }
  });

  runScenarios(stage, {
    "without a key is 401": refuses("nobody PATCH /v0/files", "UNAUTHORIZED"),
    "with a read-only key is 403": refuses("agentReader PATCH /v0/files", "FORBIDDEN"),
  });
});

describe("the order of checks", () => {
  const long = "x".repeat(2 * 1024 * 1024);
  runScenarios(stage, {
    "authentication before size": step("nobody POST /v0/folders", { body: long, ...refused("UNAUTHORIZED") }),
    "scope before size": step("agentReader POST /v0/folders", { body: long, ...refused("FORBIDDEN") }),
    "account before size": step("POST /v0/drives", { body: long, ...refused("FORBIDDEN") }),
    "size before body": step("POST /v0/folders", { body: long, ...refused("PAYLOAD_TOO_LARGE") }),
    "body before existence": step(`PATCH /v0/files/${NOWHERE}`, { body: { tags: 1 }, ...invalid("tags") }),
    "existence before state": step(`PATCH /v0/files/${NOWHERE}`, {
      body: {},
      headers: { "if-match": '"x"' },
      ...refused("NOT_FOUND"),
    }),
  });
});

describe("an answer is JSON whatever was asked for", () => {
  const asked = { headers: { accept: "text/html" }, receives: { "content-type": /^application\/json\b/ } };
  runScenarios(stage, {
    "where it is given": step("GET /v0/drives", { ...asked, json: { data: [{ id: "{drive}" }] } }),
    "where it is refused": step("GET /v0/nothing", { ...asked, ...refused("NOT_FOUND") }),
  });
});
