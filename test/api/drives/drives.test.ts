import { describe, expect, test } from "bun:test";
import type { DriveRecord } from "../../../src/http/records/record-schemas.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import {
  expectJson,
  openStage,
  provision,
  runEach,
  runScenarios,
  runAfter,
} from "../../support/server/scenario.ts";
import type { Step, Expected } from "../../support/server/steps.ts";
import { gives, NOWHERE, refused, refuses, step, invalid } from "../../support/server/steps.ts";
import { holds, put } from "../../support/server/uploads.ts";
import { startWorld } from "../../support/server/world.ts";
import { expectRefused } from "../../support/server/answers.ts";

const stage = openStage();

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function provisioning(name: Json, more: Partial<Step> = {}): Step {
  return step("nobody POST /v0/drives/provision", {
    body: { name },
    status: 201,
    json: { data: { drive_id: expect.stringMatching(UUID) } },
    ...more,
  });
}

function create(name: Json, more: Partial<Step> = {}): Step {
  return step("ada POST /v0/drives", {
    body: { name },
    status: 201,
    json: { data: { id: expect.stringMatching(UUID), name } },
    ...more,
  });
}

/** Asks for a new drive. */
function ask(coffer: TestAppliance, headers: Record<string, string> = {}): Promise<Answer> {
  return coffer.client().send("POST", "/v0/drives/provision", { body: { name: "x" }, headers });
}

const NAMES: [name: string, sent: string, kept: string][] = [
  ["one character", "x", "x"],
  ["64 characters", "x".repeat(64), "x".repeat(64)],
  ["64 emoji, counted as one each", "\u{1F600}".repeat(64), "\u{1F600}".repeat(64)],
  ["spaces around it go", " \t my drive \n", "my drive"],
  ["64 characters and spaces around them", ` ${"x".repeat(64)} `, "x".repeat(64)],
  ["slashes, dots and quotes", `../'"\\<b>`, `../'"\\<b>`],
];
const BAD_NAMES: [name: string, sent: Json][] = [
  ["empty", ""],
  ["only spaces", " \t "],
  ["65 characters", "x".repeat(65)],
  ["nothing that can be seen", "\u200B \u2060\u{E0020}"],
  ["65 emoji", "\u{1F600}".repeat(65)],
  ["NUL", "a\u0000b"],
  ["a line break", "a\nb"],
  ["an escape", "a\u001b[2J"],
  ["a C1 control", "a\u009fb"],
  ["half a surrogate pair", "a\ud800"],
  ["a number", 5],
  ["null", null],
  ["an array", ["x"]],
  ["an object", {}],
];
const BAD_DESCRIPTIONS = [5, [], "x".repeat(1025), "a\u0000b", "\ud800"];
const BAD_BODIES = ["", "{", "null", "[]", '"x"', "{}x", "\ufeff"];

describe.each([
  ["provisioned", provisioning, "drive_name"],
  ["of an account", create, "name"],
] as const)("a drive %s", (_, asked, field) => {
  runEach(stage, NAMES, ([name, sent, kept]) => [name, asked(sent, { json: { data: { [field]: kept } } })]);
  runEach(stage, BAD_NAMES, ([name, sent]) => [`${name} is refused`, asked(sent, invalid("name"))]);
  runEach(stage, BAD_BODIES, (body) => [
    `the body ${JSON.stringify(body)} is refused`,
    asked(null, { body, ...invalid("body") }),
  ]);
});

describe("provision", () => {
  runScenarios(stage, {
    "answers everything an agent needs": provisioning("My drive", {
      keeps: "made",
      json: {
        data: {
          api_key: expect.stringMatching(/^cof_[0-9a-f]{48}$/),
          key_id: expect.stringMatching(UUID),
          drive_id: expect.stringMatching(UUID),
          drive_name: "My drive",
          claim_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/claim\/clm_[0-9a-f]{48}$/),
          expires_at: expect.stringMatching(TIME),
          message: expect.stringMatching(/\w/),
        },
      },
    }),
    "no name is refused": provisioning(null, { body: {}, ...invalid("name") }),
    "an unknown field is refused": provisioning("x", {
      body: { name: "x", expires_at: "2099-01-01" },
      ...invalid("expires_at"),
    }),
    "with a key that is none": provisioning("x", { as: "liar" }),
    "with a key of one's own": provisioning("x", { as: "ada", json: { data: { drive_name: "x" } } }),
  });

  test("the key opens that drive, which is empty, unclaimed and lives 30 days", async () => {
    type Made = { data: { api_key: string; drive_id: string; expires_at: string } };
    const anyone = stage.coffer.client();
    const { data } = await anyone.post<Made>("/v0/drives/provision", { name: "Mine" });
    const now = stage.coffer.clock.iso();
    expect(Date.parse(data.expires_at) - stage.coffer.clock.now()).toBe(30 * DAY);
    const { data: drives } = await stage.coffer.client(data.api_key).get<{ data: object[] }>("/v0/drives");
    expect(drives).toEqual([
      {
        id: data.drive_id,
        user_id: null,
        name: "Mine",
        slug: null,
        description: "",
        role: "owner",
        file_count: 0,
        total_size: 0,
        expires_at: data.expires_at,
        created_at: now,
        updated_at: now,
      },
    ]);
  });

  test("links begin with the claim address where one is configured, keys with the prefix", async () => {
    const settings = { "claim-base-url": "https://claims.example", "key-prefix": "acme" };
    await using coffer = await startAppliance(settings);
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const answer = await ask(coffer, headers);
    expectJson(answer.text, {
      data: {
        api_key: expect.stringMatching(/^acme_[0-9a-f]{48}$/),
        claim_url: expect.stringMatching(/^https:\/\/claims\.example\/claim\/clm_[0-9a-f]{48}$/),
      },
    });
    expect(answer.text).not.toContain("evil");
  });

  test("is refused where it is turned off", async () => {
    await using coffer = await startAppliance({ provisioning: "off" });
    expectRefused(await ask(coffer), "FORBIDDEN");
  });

  test("is limited by the hour for each address", async () => {
    await using coffer = await startAppliance({ "provisions-per-hour": "2", "trusted-proxies": "127.0.0.1" });
    const from = (address: string) => ask(coffer, { "x-forwarded-for": address });
    const statuses = async (...addresses: string[]) =>
      (await Array.fromAsync(addresses, from)).map(({ status }) => status);
    const [first, six] = ["192.0.2.1", "2001:db8::"];
    expect(await statuses(first)).toEqual([201]);
    coffer.clock.advance(20 * 60 * 1000);
    expect(await statuses(first)).toEqual([201]);
    const refusal = await from(first);
    expectRefused(refusal, "RATE_LIMITED");
    expect(refusal.headers.get("retry-after")).toBe(String(40 * 60));
    expect(await statuses("192.0.2.2", `${six}1`, `${six}2`, `${six}3`)).toEqual([201, 201, 201, 429]);
    coffer.clock.advance(40 * 60 * 1000 - 1);
    expect(await statuses(first)).toEqual([429]);
    coffer.clock.advance(1);
    expect(await statuses(first)).toEqual([201]);
  });
});

describe("an account's drives", () => {
  const notes = { name: "Research Notes", description: "Line 1\nLine 2" };
  const made = {
    ...notes,
    id: expect.stringMatching(UUID),
    user_id: expect.stringMatching(UUID),
    slug: "ada/research-notes",
    file_count: 0,
    total_size: 0,
    expires_at: null,
    created_at: expect.stringMatching(TIME),
    updated_at: expect.stringMatching(TIME),
  };
  runScenarios(stage, {
    "a new one is shown whole": [
      create("Research Notes", { body: notes, keeps: "made", json: { data: made } }),
      gives("ada GET /v0/drives/{made.data.id}", { data: notes }),
      step("ada GET /v0/drives", { contains: ["{made.data.id}"] }),
    ],
    "no description, or null, is an empty one": [
      create("x", { body: { name: "x", description: null }, json: { data: { description: "" } } }),
      create("x", { json: { data: { description: "" } } }),
    ],
    "none of that id": refuses(`ada GET /v0/drives/${NOWHERE}`, "NOT_FOUND"),
    "no id at all": refuses("ada GET /v0/drives/%00", "NOT_FOUND"),
  });
  runEach(stage, BAD_DESCRIPTIONS, (description) => [
    `the description ${JSON.stringify(description).slice(0, 20)} is refused`,
    create("x", { body: { name: "x", description }, ...invalid("description") }),
  ]);
});

/** Changes the drive that was kept as `own`. */
function update(body: Json, more: Expected): Step {
  return step("ada PATCH /v0/drives/{own.data.id}", { body, ...more });
}

describe("a drive is renamed and described", () => {
  const data = { name: "Old name", description: "As it was" };
  const given = [create("Old name", { body: data, json: { data }, keeps: "own" })];
  const renamed = { ...data, id: "{own.data.id}", name: "New name", slug: "ada/new-name", file_count: 0 };
  const unchanged = gives("ada GET /v0/drives/{own.data.id}", { data });
  runScenarios(stage, {
    "by the drive's own key": step("adaDrive PATCH /v0/drives/{drives.ada}", {
      body: { name: "Ada's notes" },
      json: { data: { slug: "ada/ada-s-notes" } },
    }),
    "an unclaimed one has no slug still": step("PATCH /v0/drives/{drive}", {
      body: { name: "Of an agent", description: "Mine" },
      json: { data: { name: "Of an agent", description: "Mine", slug: null } },
    }),
  });
  runAfter(stage, given, {
    "the slug follows the name, the id and the description stay": [
      update({ name: "  New name " }, { json: { data: renamed } }),
      gives("ada GET /v0/drives?slug=ada/new-name", { data: [{ id: "{own.data.id}" }] }),
      gives("ada GET /v0/drives?slug=ada/old-name", { data: [] }),
    ],
    "a description alone leaves name and slug, and can be taken away": [
      update(
        { description: "Line 1\nLine 2" },
        { json: { data: { name: "Old name", slug: "{own.data.slug}", description: "Line 1\nLine 2" } } },
      ),
      update({ description: "" }, { json: { data: { description: "" } } }),
    ],
    "null, and nothing, change nothing": [
      update({ name: null, description: null }, { json: { data } }),
      update({}, { json: { data } }),
      unchanged,
    ],
    "by its slug": update(
      { name: "By slug" },
      { request: ["PATCH", "/v0/drives/{own.data.slug}"], json: { data: { id: "{own.data.id}" } } },
    ),
  });
  // null is no change.
  const names = BAD_NAMES.filter(([, sent]) => sent !== null);
  runEach(stage, names, ([name, sent]) => [
    `a name, ${name}, is refused`,
    ...given,
    update({ name: sent, description: "Changed" }, invalid("name")),
    unchanged,
  ]);
  runEach(stage, BAD_DESCRIPTIONS, (description) => [
    `the description ${JSON.stringify(description).slice(0, 20)} is refused`,
    ...given,
    update({ name: "Changed", description }, invalid("description")),
    unchanged,
  ]);
});

async function make(name: string): Promise<DriveRecord> {
  return (await stage.world.clients.bob.post<{ data: DriveRecord }>("/v0/drives", { name })).data;
}

/** Renames a drive; its slug then. */
async function rename({ id }: DriveRecord, name: string): Promise<string | null> {
  const changed = await stage.world.clients.bob.patch<{ data: DriveRecord }>(`/v0/drives/${id}`, { name });
  expect(changed.data.updated_at).toBe(stage.coffer.clock.iso());
  return changed.data.slug;
}

test("a slug that clashes is numbered, kept while the name makes the same one, and freed by a rename", async () => {
  const first = await make("Plans");
  expect(first.slug).toBe("bob/plans");
  const second = await make("Other");
  stage.coffer.clock.advance(1000);
  expect(await rename(second, "Plans")).toBe("bob/plans-2");
  // Its own slug is no clash.
  for (const name of ["Plans 2", "plans"]) expect(await rename(second, name)).toBe("bob/plans-2");
  expect(await rename(first, "Elsewhere")).toBe("bob/elsewhere");
  // The name is the same but for its case: nothing that was written down need change.
  expect(await rename(second, "PLANS")).toBe("bob/plans-2");
  expect((await make("Plans")).slug).toBe("bob/plans");
});

describe("slugs", () => {
  const slugs: [name: string, slug: string][] = [
    ["Plain", "bob/plain"],
    ["Two  words!", "bob/two-words"],
    ["--Dashes--", "bob/dashes"],
    ["Z\u00fcrich R\u00e9sum\u00e9", "bob/zurich-resume"],
    ["UPPER 1.2", "bob/upper-1-2"],
    ["../../etc", "bob/etc"],
    ["a/b", "bob/a-b"],
    ["\u8CC7\u6599", "bob/drive"],
    ["\u{1F600}", "bob/drive-2"],
    ["plain", "bob/plain-2"],
    ["PLAIN", "bob/plain-3"],
    ["plain 2", "bob/plain-2-2"],
    ["\uFF41\uFF42", "bob/ab"],
  ];
  test("are made of the name, numbered on a clash, and open the drive everywhere", async () => {
    const { bob } = stage.world.clients;
    for (const [name, slug] of slugs) {
      const { id, slug: made } = await make(name);
      expect([name, made]).toEqual([name, slug]);
      expect(await bob.get(`/v0/drives?slug=${slug}`)).toMatchObject({ data: [{ id }] });
      expect(await bob.get(`/v0/drives/${encodeURIComponent(slug)}`)).toMatchObject({ data: { id } });
    }
  });

  const bySlug = "{own.data.slug}";
  const inOwn = { status: 201, json: { drive_id: "{own.data.id}" } };
  const given = [create("By slug", { keeps: "own" })];
  runScenarios(stage, {
    "none of that slug": gives("ada GET /v0/drives?slug=ada/nothing", { data: [] }),
    "a foreign one": gives("ada GET /v0/drives?slug=bob/notes", { data: [] }),
    "an empty one": gives("ada GET /v0/drives?slug=", { data: [] }),
    "a wildcard": gives("ada GET /v0/drives?slug=ada/%25", { data: [] }),
  });
  runAfter(stage, given, {
    "one's own": gives(`ada GET /v0/drives?slug=${bySlug}`, { data: [{ id: "{own.data.id}" }] }),
    "in a list's query, an upload, a folder, a key": [
      step(`ada PUT /v0/files?drive_id=${bySlug}&path=a`, { body: "x", ...inOwn, keeps: "file" }),
      step("ada POST /v0/folders", { body: { drive_id: bySlug, path: "f/" }, ...inOwn }),
      step("ada POST /v0/keys", { body: { drive_id: bySlug }, ...inOwn }),
      step("ada POST /v0/files/{file.id}/copy", {
        body: { destination_path: "b", destination_drive_id: bySlug },
        ...inOwn,
      }),
      step("ada DELETE /v0/folders", {
        body: { drive_id: bySlug, path: "f/", confirm: true },
        json: { deleted_count: 0 },
      }),
      gives(`ada GET /v0/files?drive_id=${bySlug}`, { data: [{ path: "a" }, { path: "b" }] }),
      gives(`ada DELETE /v0/drives/${bySlug}`, { data: { id: "{own.data.id}", deleted: true } }),
    ],
  });
});

describe("deletion", () => {
  const own = "{own.data.id}";
  const remove = gives(`ada DELETE /v0/drives/${own}`, { data: { id: own, deleted: true } });
  const uploaded = { status: 201, json: { drive_id: own, path: "a/b" }, keeps: "file" };
  const file = step(`ada PUT /v0/files?drive_id=${own}&path=a/b`, { body: "x", ...uploaded });
  const given = [create("Doomed", { keeps: "own" }), file];
  runScenarios(stage, {
    "of a provisioned drive takes its key at once": [
      put("a"),
      gives("DELETE /v0/drives/{drive}", { data: { id: "{drive}", deleted: true } }),
      refuses("GET /v0/drives", "UNAUTHORIZED"),
      refuses("GET /v0/files?drive_id={drive}", "UNAUTHORIZED"),
    ],
    "of what is not there": [refuses(`DELETE /v0/drives/${NOWHERE}`, "NOT_FOUND"), holds()],
  });
  runAfter(stage, given, {
    "takes everything away at once, for good": [
      remove,
      refuses("ada GET /v0/drives/{own.data.id}", "NOT_FOUND"),
      step("ada GET /v0/drives", { contains: ["{drives.ada}"], omits: ["{own.data.id}"] }),
      gives("ada GET /v0/drives?slug={own.data.slug}", { data: [] }),
      refuses("ada GET /v0/files?drive_id={own.data.id}", "NOT_FOUND"),
      refuses("ada GET /v0/files/{file.id}", "NOT_FOUND"),
      refuses("ada GET /v0/files/{file.id}/download", "NOT_FOUND"),
      step("ada PUT /v0/files?drive_id={own.data.id}&path=c", { body: "x", ...refused("NOT_FOUND") }),
      { ...remove, ...refused("NOT_FOUND") },
    ],
    "frees the slug": [
      remove,
      create("Doomed", { json: { data: { slug: "{own.data.slug}" } } }),
      step("ada GET /v0/drives?slug={own.data.slug}", { json: { data: [{ name: "Doomed" }] }, omits: [own] }),
    ],
  });

  test("takes the keys that were made for the drive as well, and leaves the account's", async () => {
    const { ada } = stage.world.clients;
    const made = await ada.makeDrive("With keys");
    const key = await ada.makeKey({ drive_id: made.id });
    const limited = stage.coffer.client(key.key);
    await limited.get("/v0/drives");
    await limited.delete(`/v0/drives/${made.id}`);
    expect(await limited.status("GET", "/v0/drives")).toBe(401);
    const keys = await ada.get<{ id: string }[]>("/v0/keys");
    expect(keys.map(({ id }) => id)).not.toContain(key.id);
  });
});

test("an unclaimed drive that is 30 days old is invisible at once, its key refused; all else stays", async () => {
  await using coffer = await startWorld();
  const { agent, ada } = coffer.clients;
  coffer.clock.advance(30 * DAY - 1);
  const young = await provision(coffer);
  await young.client.put(young.id, "a", "only here");
  await agent.get("/v0/drives");
  coffer.clock.advance(1);
  const file = `/v0/files/${coffer.files.agent}/download`;
  for (const path of ["/v0/drives", `/v0/drives/${coffer.drives.agent}`, file])
    expect([path, await agent.status("GET", path)]).toEqual([path, 401]);
  await young.client.get("/v0/drives");
  await ada.get(`/v0/files/${coffer.files.ada}`);

  const sweep = () => coffer.appliance.services.sweep.run();
  expect(await sweep()).toMatchObject({ drives: 2 });
  expect(await agent.status("GET", "/v0/drives")).toBe(401);
  // Ada and Bob still have the content that the two agents had as well.
  coffer.clock.advance(2 * HOUR);
  expect(await sweep()).toEqual({ files: 0, drives: 0, blobs: 0 });
  await coffer.restart();
  expect(await coffer.client(coffer.keys.agent).status("GET", "/v0/drives")).toBe(401);
  const kept = await coffer.client(coffer.keys.ada).send("GET", `/v0/files/${coffer.files.ada}/download`);
  expect(kept.text).toBe("Hello World!");
  // One that is deleted gives its room back as well.
  await coffer.client(young.key).delete(`/v0/drives/${young.id}`);
  expect(await sweep()).toMatchObject({ drives: 1 });
  coffer.clock.advance(2 * HOUR);
  expect(await sweep()).toMatchObject({ blobs: 1 });
});
