import { describe, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { CofferError } from "../../../src/domain/errors.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { connectMcp, REVISIONS } from "../../support/peers/mcp.ts";
import { openStage, runScenarios, startWithDrive } from "../../support/server/scenario.ts";
import { invalid, refused, step } from "../../support/server/steps.ts";

const stage = openStage();

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** What a model can read before it begins, and still has its room. */
const MOST_TOOLS = { number: 20, tokens: 8000 };
/** About. */
const BYTES_OF_TOKEN = 4;

/** Drives that are left to make from one address, and what a call says when there are none. */
const TWO = { "provisions-per-hour": "2" };

const MALFORMED = ['""', "1", "null", "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","method":"x"}', deep(1e5)];

runScenarios(stage, {
  "a program needs no headers but its key": step("POST /mcp", {
    body: LIST,
    json: { jsonrpc: "2.0", id: 1 },
    contains: ['"name":"write_file"'],
    receives: {
      "content-type": "application/json",
      "x-request-id": /./,
      "x-ratelimit-remaining": /\d/,
      "mcp-session-id": null,
      connection: null,
    },
  }),
  "a client that takes events gets one, and nothing after it": step("POST /mcp", {
    headers: { accept: "application/json, text/event-stream" },
    body: LIST,
    contains: [/^event: message\ndata: \{.*\}\n\n$/],
    receives: { "content-type": "text/event-stream" },
  }),
  "there are no streams to open, and no sessions to end": [
    step("GET /mcp", { ...refused("METHOD_NOT_ALLOWED"), receives: { allow: "POST" } }),
    step("DELETE /mcp", refused("METHOD_NOT_ALLOWED")),
    step("nobody GET /mcp", refused("METHOD_NOT_ALLOWED")),
  ],
  "a session of a client that has one elsewhere is ignored": step("POST /mcp", {
    headers: { "mcp-session-id": "x" },
    body: LIST,
    contains: ['"tools"'],
  }),
  "a slash at the end makes no difference, also to who may ask": [
    step("POST /mcp/", { body: LIST, contains: ['"tools"'] }),
    step("nobody POST /mcp/", {
      body: { ...LIST, method: "tools/call", params: { name: "list_drives" } },
      ...refused("UNAUTHORIZED"),
    }),
  ],
  "a batch is refused, since it would count as one request": step("POST /mcp", {
    body: [LIST, LIST],
    ...invalid("body"),
  }),
  "an id that would come back as another one is refused": step("POST /mcp", {
    body: { ...LIST, id: 2 ** 53 },
    ...invalid("id"),
  }),
  "malformed messages are refused before a tool sees them": [
    step("POST /mcp", { body: "{", ...refused("VALIDATION_ERROR") }),
    ...MALFORMED.map((body) => step("POST /mcp", { body, ...refused("VALIDATION_ERROR") })),
    step("POST /mcp", {
      body: JSON.stringify({ ...LIST, pad: " ".repeat(1024 * 1024) }),
      ...refused("PAYLOAD_TOO_LARGE"),
    }),
    step("POST /mcp", {
      headers: { "content-encoding": "gzip" },
      body: "x",
      ...refused("UNSUPPORTED_MEDIA_TYPE"),
    }),
  ],
  "unknown fields are ignored, and null is nothing, as everywhere": [
    step("POST /mcp", { body: { ...LIST, extra: 1 }, contains: ['"tools"'] }),
    step("POST /mcp", {
      body: { ...LIST, method: "tools/call", params: { name: "list_drives", arguments: null } },
      contains: ['\\"drives\\"'],
    }),
  ],
  "an unknown tool and an unknown method are errors of the protocol": [
    step("POST /mcp", {
      body: { ...LIST, method: "tools/call", params: { name: "rm" } },
      contains: ["-32602", "see tools/list"],
    }),
    step("POST /mcp", { body: { ...LIST, method: "rm" }, contains: ["-32601"] }),
  ],
});

describe.each(REVISIONS)("the official client over %s", (revision) => {
  test("begins with nothing but the address, and goes on without a header", async () => {
    await using coffer = await startAppliance();
    const base = coffer.appliance.url;
    await using anybody = await connectMcp(base, undefined, revision);
    expect(anybody.client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(anybody.client.getInstructions()).toContain("provision_drive");
    const made = await anybody.get("provision_drive", { name: "Mine" });
    const { api_key } = made;
    expect(api_key).toMatch(/^cof_/);
    expect(made["claim_url"]).toContain(`${base}/claim/`);
    expect(made["message"]).toMatch(/Store api_key.*as api_key\./);
    expect(await anybody.refused("list_drives")).toContain("provision_drive");
    const mine = { drives: [{ id: made["drive_id"], name: "Mine" }] };
    expect(await anybody.get("list_drives", { api_key })).toMatchObject(mine);
    await anybody.get("write_file", { api_key, path: "a.md", text: "kept\n" });
    await using me = await connectMcp(base, String(api_key), revision);
    expect(await me.get("list_drives")).toMatchObject(mine);
    expect(await me.get("read_file", { path: "a.md" })).toMatchObject({ text: "kept" });
    expect(me.client.getInstructions()).not.toContain("provision_drive");
    const second = await me.get("provision_drive", { name: "Second" });
    expect(second["message"]).toContain("does not reach the new drive");
  });

  test("says what it can do, and takes a level of messages only where there is one", async () => {
    await using me = await connectMcp(stage.coffer.appliance.url, stage.world.keys.ada, revision);
    const { resources, logging } = me.client.getServerCapabilities() ?? {};
    const isModern = revision === "2026-07-28";
    const ofEra = isModern ? [{ subscribe: true, listChanged: true }, undefined] : [{}, {}];
    expect([resources, logging]).toEqual(ofEra);
    if (isModern) expect(me.client.setLoggingLevel("debug")).rejects.toThrow();
    else await me.client.setLoggingLevel("debug");
    expect(me.client.subscribeResource({ uri: "coffer://ada%2Fnotes/notes/hello.txt" })).rejects.toThrow();
  });

  test("lists few tools in few words, and answers each thing once", async () => {
    await using me = await connectMcp(stage.coffer.appliance.url, stage.world.keys.ada, revision);
    const listed = await me.client.listTools();
    expect(listed.tools.length).toBeLessThanOrEqual(MOST_TOOLS.number);
    expect(JSON.stringify(listed).length / BYTES_OF_TOKEN).toBeLessThan(MOST_TOOLS.tokens);
    for (const { description, outputSchema, annotations } of listed.tools) {
      expect(description?.length).toBeGreaterThan(40);
      expect(outputSchema).toBeUndefined();
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), openWorldHint: false });
    }
    const answer = await me.client.callTool({ name: "list_files", arguments: {} });
    expect(answer).not.toHaveProperty("structuredContent");
    expect(answer.content).toHaveLength(1);
  });
});

test("drives made without an account count together, however they are made", async () => {
  await using coffer = await startAppliance(TWO);
  await using anybody = await connectMcp(coffer.appliance.url);
  await anybody.get("provision_drive", { name: "One" });
  expect(await anybody.refused("provision_drive", { name: "" })).toContain("VALIDATION_ERROR");
  await coffer.client().post("/v0/drives/provision", { name: "Two" });
  await anybody.refuses("provision_drive", { name: "Three" }, /^RATE_LIMITED: At most 2/);
});

test("a message counts as one request of its key", async () => {
  await using coffer = await startWithDrive({ "rate-limits": "free=3,pro=3,team=3" });
  const { client: me } = coffer.own;
  for (const left of ["2", "1", "0"]) {
    const { headers } = await me.send("POST", "/mcp", { body: LIST });
    expect(headers.get("x-ratelimit-remaining")).toBe(left);
  }
  expect(await me.send("POST", "/mcp", { body: LIST })).toMatchObject({ status: 429 });
  expect(await me.send("GET", "/v0/drives")).toMatchObject({ status: 429 });
});

test.each(REVISIONS)(
  "over %s a model is told when to try again, and a client by the status",
  async (revision) => {
    await using coffer = await startWithDrive({ "rate-limits": "free=6,pro=6,team=6" });
    const { client: me, key } = coffer.own;
    await using mcp = await connectMcp(coffer.appliance.url, key, revision);
    while (!(await mcp.call("list_drives")).isError);
    const said = await mcp.refused("write_file", { path: "a", text: "x" });
    expect(said).toBe(
      "RATE_LIMITED: Too many requests with this key: 6 a minute are allowed. Try again in 60 s.",
    );
    expect(mcp.client.listTools()).rejects.toThrow(/429|Too many requests/);
    const call = { ...LIST, method: "tools/call", params: { name: "list_drives" } };
    const limited = await me.send("POST", "/mcp", { body: call });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([200, "60"]);
    // What is read of it is little, and nothing is done that a refusal could be guessed from.
    const { id: _, ...notified } = call;
    const long = {
      ...call,
      params: { name: "write_file", arguments: { path: "a", text: "x".repeat(20_000) } },
    };
    for (const body of [LIST, notified, long, "{", [call]])
      expect(await me.send("POST", "/mcp", { body })).toMatchObject({ status: 429 });
    const guess = { body: call, headers: { authorization: "Bearer nobody" } };
    const guessed = await Array.fromAsync({ length: 8 }, () => coffer.client().status("POST", "/mcp", guess));
    expect(new Set(guessed)).toEqual(new Set([401, 429]));
    expect(await me.status("GET", "/mcp")).toBe(429);
    coffer.clock.advance(60_000);
    expect(await mcp.get("list_files")).toMatchObject({ files: [] });
  },
);

test("the log says what was called, and nothing of what was passed", async () => {
  const { coffer, world } = stage;
  const before = coffer.lines.length;
  await using me = await connectMcp(coffer.appliance.url, world.keys.agent);
  await me.get("write_file", { path: "secret-path.txt", text: "secret text" });
  await world.clients.agent.send("POST", "/mcp", { body: { ...LIST, method: "secret/method" } });
  const lines = coffer.lines.slice(before);
  expect(lines.some((line) => line.includes('"call":"tools/call write_file"'))).toBe(true);
  expect(lines.some((line) => line.includes('"call":"other"'))).toBe(true);
  expect(lines.filter((line) => line.includes("secret"))).toEqual([]);
});

test("what goes wrong inside is told with the request id, and explained in the log alone", async () => {
  await using coffer = await startWithDrive();
  await using me = await connectMcp(coffer.appliance.url, coffer.own.key);
  spyOn(coffer.appliance.services.drives, "list").mockImplementation(() => {
    throw new Error("/etc/secret is missing");
  });
  const text = await me.refused("list_drives");
  expect(text).toMatch(/^INTERNAL: .* The request id is [\w-]+\.$/);
  expect(text).not.toContain("secret");
  expect(coffer.lines.some((line) => line.includes("/etc/secret is missing"))).toBe(true);
});

test("what is too busy to do something says when to try again", async () => {
  await using coffer = await startWithDrive();
  await using me = await connectMcp(coffer.appliance.url, coffer.own.key);
  spyOn(coffer.appliance.services.drives, "list").mockImplementation(() => {
    throw new CofferError("UNAVAILABLE", "Too few hands");
  });
  expect(await me.refused("list_drives")).toBe("UNAVAILABLE: Too few hands. Try again in 5 s.");
});

test.each([
  ["2026-07-28", "application/json, text/event-stream"],
  ["2025-11-25", "application/json, text/event-stream"],
  ["2025-11-25", "application/json"],
] as const)("what a client of %s that takes %s no longer waits for is ended", async (revision, accept) => {
  await using coffer = await startWithDrive();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const find = async (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) => {
    begun.resolve();
    await once(signal, "abort");
    ended.resolve();
    throw new Error("nobody waits");
  };
  Object.assign(coffer.appliance.services.grep, { find });
  const isModern = revision === "2026-07-28";
  const modern = { "mcp-protocol-version": revision, "mcp-method": "tools/call", "mcp-name": "grep" };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const gone = new AbortController();
  const call = fetch(`${coffer.appliance.url}/mcp`, {
    method: "POST",
    signal: gone.signal,
    headers: { accept, authorization: `Bearer ${coffer.own.key}`, ...(isModern ? modern : {}) },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "grep", arguments: { pattern: "x" }, ...(isModern ? { _meta: meta } : {}) },
    }),
  }).then((response) => response.text());
  await begun.promise;
  gone.abort();
  expect(call).rejects.toThrow();
  await ended.promise;
  await coffer.close();
  // That a service stopped is no failure.
  expect(coffer.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
