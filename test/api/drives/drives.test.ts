import { describe, expect, test } from "bun:test";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Json } from "../../support/server/client.ts";
import {
  contentsOnDisk,
  expectCommonRules,
  expectJson,
  gives,
  holds,
  openStage,
  provision,
  put,
  refused,
  refuses,
  runEach,
  runScenarios,
  type Step,
  step,
} from "../../support/server/scenario.ts";
import { populate } from "../../support/server/world.ts";

const stage = openStage();

const DAY = 24 * 60 * 60 * 1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOWHERE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

interface DriveRecord {
  id: string;
  slug: string | null;
  name: string;
}

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
const BAD_BODIES = ["", "{", "null", "[]", '"x"', "{}x", "\ufeff"];

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
    "no name is refused": provisioning(null, { body: {}, ...refused("VALIDATION_ERROR", "name") }),
    "an unknown field is refused": provisioning("x", {
      body: { name: "x", expires_at: "2099-01-01" },
      ...refused("VALIDATION_ERROR", "expires_at"),
    }),
    "with a key that is none": provisioning("x", { as: "liar" }),
    "with a key of one's own": provisioning("x", { as: "ada", json: { data: { drive_name: "x" } } }),
  });
  runEach(stage, NAMES, ([name, sent, kept]) => [
    name,
    provisioning(sent, { json: { data: { drive_name: kept } } }),
  ]);
  runEach(stage, BAD_NAMES, ([name, sent]) => [
    `${name} is refused`,
    provisioning(sent, refused("VALIDATION_ERROR", "name")),
  ]);
  runEach(stage, BAD_BODIES, (body) => [
    `the body ${JSON.stringify(body)} is refused`,
    provisioning(null, { body, ...refused("VALIDATION_ERROR", "body") }),
  ]);

  test("the key opens that drive, which is empty, unclaimed and lives 30 days", async () => {
    const { data } = await stage.coffer
      .client()
      .post<{ data: { api_key: string; drive_id: string; expires_at: string } }>("/v0/drives/provision", {
        name: "Mine",
      });
    const now = new Date(stage.coffer.clock.now()).toISOString();
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
    await using coffer = await startAppliance({
      "claim-base-url": "https://claims.example",
      "key-prefix": "acme",
    });
    const answer = await coffer.client().send("POST", "/v0/drives/provision", {
      body: { name: "x" },
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
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
    const answer = await coffer.client().send("POST", "/v0/drives/provision", { body: { name: "x" } });
    expect(answer.status).toBe(403);
    expectJson(answer.text, { error: { code: "FORBIDDEN" } });
    expectCommonRules("POST", answer);
  });

  test("is limited by the hour for each address", async () => {
    await using coffer = await startAppliance({ "provisions-per-hour": "2", "trusted-proxies": "127.0.0.1" });
    const ask = (address: string) =>
      coffer.client().send("POST", "/v0/drives/provision", {
        body: { name: "x" },
        headers: { "x-forwarded-for": address },
      });
    expect((await ask("192.0.2.1")).status).toBe(201);
    coffer.clock.advance(20 * 60 * 1000);
    expect((await ask("192.0.2.1")).status).toBe(201);
    const refusal = await ask("192.0.2.1");
    expect(refusal.status).toBe(429);
    expectJson(refusal.text, { error: { code: "RATE_LIMITED" } });
    expectCommonRules("POST", refusal);
    expect(refusal.headers.get("retry-after")).toBe(String(40 * 60));
    expect((await ask("192.0.2.2")).status).toBe(201);
    expect((await ask("2001:db8::1")).status).toBe(201);
    expect((await ask("2001:db8::2")).status).toBe(201);
    expect((await ask("2001:db8::3")).status).toBe(429);
    coffer.clock.advance(40 * 60 * 1000 - 1);
    expect((await ask("192.0.2.1")).status).toBe(429);
    coffer.clock.advance(1);
    expect((await ask("192.0.2.1")).status).toBe(201);
  });
});

describe("an account's drives", () => {
  runScenarios(stage, {
    "a new one is shown whole": [
      create("Research Notes", {
        body: { name: "Research Notes", description: "Line 1\nLine 2" },
        keeps: "made",
        json: {
          data: {
            id: expect.stringMatching(UUID),
            user_id: expect.stringMatching(UUID),
            name: "Research Notes",
            slug: "ada/research-notes",
            description: "Line 1\nLine 2",
            file_count: 0,
            total_size: 0,
            expires_at: null,
            created_at: expect.stringMatching(TIME),
            updated_at: expect.stringMatching(TIME),
          },
        },
      }),
      gives("ada GET /v0/drives/{made.data.id}", {
        data: { name: "Research Notes", description: "Line 1\nLine 2" },
      }),
      step("ada GET /v0/drives", { contains: ["{made.data.id}"] }),
    ],
    "a description that is null is left out": create("x", {
      body: { name: "x", description: null },
      json: { data: { description: "" } },
    }),
    "no description is an empty one": create("x", { json: { data: { description: "" } } }),
    "counts follow its files": [
      put("a", "12345"),
      put("b/c", "123"),
      gives("GET /v0/drives/{drive}", { data: { file_count: 2, total_size: 8 } }),
    ],
    "none of that id": refuses(`ada GET /v0/drives/${NOWHERE}`, "NOT_FOUND"),
    "no id at all": refuses("ada GET /v0/drives/%00", "NOT_FOUND"),
  });
  runEach(stage, NAMES, ([name, sent, kept]) => [name, create(sent, { json: { data: { name: kept } } })]);
  runEach(stage, BAD_NAMES, ([name, sent]) => [
    `${name} is refused`,
    create(sent, refused("VALIDATION_ERROR", "name")),
  ]);
  runEach(stage, BAD_BODIES, (body) => [
    `the body ${JSON.stringify(body)} is refused`,
    create(null, { body, ...refused("VALIDATION_ERROR", "body") }),
  ]);
  runEach(stage, [5, "x".repeat(1025), "a\u0000b", "\ud800"], (description) => [
    `the description ${JSON.stringify(description).slice(0, 20)} is refused`,
    create("x", { body: { name: "x", description }, ...refused("VALIDATION_ERROR", "description") }),
  ]);
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
      const made = await bob.post<{ data: DriveRecord }>("/v0/drives", { name });
      expect([name, made.data.slug]).toEqual([name, slug]);
      const found = await bob.get<{ data: DriveRecord[] }>(`/v0/drives?slug=${slug}`);
      expect(found.data.map(({ id }) => id)).toEqual([made.data.id]);
      const got = await bob.get<{ data: DriveRecord }>(`/v0/drives/${encodeURIComponent(slug)}`);
      expect(got.data.id).toBe(made.data.id);
    }
  });

  const bySlug = "{own.data.slug}";
  const given = [create("By slug", { keeps: "own" })];
  runScenarios(stage, {
    "one's own": [...given, gives(`ada GET /v0/drives?slug=${bySlug}`, { data: [{ id: "{own.data.id}" }] })],
    "none of that slug": gives("ada GET /v0/drives?slug=ada/nothing", { data: [] }),
    "a foreign one": gives("ada GET /v0/drives?slug=bob/notes", { data: [] }),
    "an empty one": gives("ada GET /v0/drives?slug=", { data: [] }),
    "a wildcard": gives("ada GET /v0/drives?slug=ada/%25", { data: [] }),
    "a foreign one as an id": refuses("ada GET /v0/drives/bob%2Fnotes", "NOT_FOUND"),
    "in a list's query, an upload, a folder, a key": [
      ...given,
      step(`ada PUT /v0/files?drive_id=${bySlug}&path=a`, {
        body: "x",
        status: 201,
        json: { drive_id: "{own.data.id}" },
        keeps: "file",
      }),
      step("ada POST /v0/folders", {
        body: { drive_id: bySlug, path: "f/" },
        status: 201,
        json: { drive_id: "{own.data.id}" },
      }),
      step("ada POST /v0/keys", {
        body: { drive_id: bySlug },
        status: 201,
        json: { drive_id: "{own.data.id}" },
      }),
      step("ada POST /v0/files/{file.id}/copy", {
        body: { destination_path: "b", destination_drive_id: bySlug },
        status: 201,
        json: { drive_id: "{own.data.id}", path: "b" },
      }),
      gives(
        "ada DELETE /v0/folders",
        { deleted_count: 0 },
        { body: { drive_id: bySlug, path: "f/", confirm: true } },
      ),
      gives(`ada GET /v0/files?drive_id=${bySlug}`, { data: [{ path: "a" }, { path: "b" }] }),
      gives(`ada DELETE /v0/drives/${bySlug}`, { data: { id: "{own.data.id}", deleted: true } }),
    ],
  });
});

describe("deletion", () => {
  const gone = { as: "ada", ...refuses("GET /v0/drives/{own.data.id}", "NOT_FOUND") } as const;
  const remove: Step = gives("ada DELETE /v0/drives/{own.data.id}", {
    data: { id: "{own.data.id}", deleted: true },
  });
  const file: Step = step("ada PUT /v0/files?drive_id={own.data.id}&path=a/b", {
    body: "x",
    status: 201,
    json: { drive_id: "{own.data.id}", path: "a/b" },
    keeps: "file",
  });
  const given = [create("Doomed", { keeps: "own" }), file];
  runScenarios(stage, {
    "takes everything away at once, for good": [
      ...given,
      remove,
      gone,
      step("ada GET /v0/drives", { contains: ["{drives.ada}"], omits: ["{own.data.id}"] }),
      gives("ada GET /v0/drives?slug={own.data.slug}", { data: [] }),
      refuses("ada GET /v0/files?drive_id={own.data.id}", "NOT_FOUND"),
      refuses("ada GET /v0/files/{file.id}", "NOT_FOUND"),
      refuses("ada GET /v0/files/{file.id}/download", "NOT_FOUND"),
      step("ada PUT /v0/files?drive_id={own.data.id}&path=c", { body: "x", ...refused("NOT_FOUND") }),
      { ...remove, ...refused("NOT_FOUND") },
    ],
    "frees the slug": [
      ...given,
      remove,
      create("Doomed", { json: { data: { slug: "{own.data.slug}" } } }),
      gives(
        "ada GET /v0/drives?slug={own.data.slug}",
        { data: [{ name: "Doomed" }] },
        { omits: ["{own.data.id}"] },
      ),
    ],
    "of a provisioned drive takes its key at once": [
      put("a"),
      gives("DELETE /v0/drives/{drive}", { data: { id: "{drive}", deleted: true } }),
      refuses("GET /v0/drives", "UNAUTHORIZED"),
      refuses("GET /v0/files?drive_id={drive}", "UNAUTHORIZED"),
    ],
    "of what is not there": [refuses(`DELETE /v0/drives/${NOWHERE}`, "NOT_FOUND"), holds()],
    "of a foreign drive": refuses("DELETE /v0/drives/{drives.ada}", "NOT_FOUND"),
  });

  test("takes the keys that were made for the drive as well, and leaves the account's", async () => {
    const { ada } = stage.world.clients;
    const made = await ada.post<{ data: DriveRecord }>("/v0/drives", { name: "With keys" });
    const key = await ada.makeKey({ drive_id: made.data.id });
    const limited = stage.coffer.client(key.key);
    await limited.get("/v0/drives");
    await limited.delete(`/v0/drives/${made.data.id}`);
    expect(await limited.status("GET", "/v0/drives")).toBe(401);
    const keys = await ada.get<{ id: string }[]>("/v0/keys");
    expect(keys.map(({ id }) => id)).not.toContain(key.id);
  });
});

describe("an unclaimed drive that is 30 days old", () => {
  test("is invisible at once, its key refused, and the sweep gives its room back", async () => {
    await using coffer = await startAppliance();
    const world = await populate(coffer);
    coffer.clock.advance(DAY);
    const young = await provision(coffer);
    await young.client.put(young.id, "a", "only here");
    coffer.clock.advance(29 * DAY - 1);
    await world.clients.agent.get("/v0/drives");
    coffer.clock.advance(1);
    for (const path of [
      "/v0/drives",
      `/v0/drives/${world.drives.agent}`,
      `/v0/files/${world.files.agent}/download`,
    ]) {
      const answer = await world.clients.agent.send("GET", path);
      expect([path, answer.status]).toEqual([path, 401]);
    }
    await young.client.get("/v0/drives");
    await world.clients.ada.get(`/v0/files/${world.files.ada}`);

    const { sweep } = coffer.appliance.services;
    expect(await sweep.run()).toMatchObject({ drives: 2 });
    expect(await world.clients.agent.status("GET", "/v0/drives")).toBe(401);
    // Ada and Bob still have the content that the two agents had as well.
    coffer.clock.advance(2 * 60 * 60 * 1000);
    await sweep.run();
    expect((await contentsOnDisk(coffer.dataDir)).blobs).toHaveLength(2);
    expect(await sweep.run()).toEqual({ files: 0, drives: 0, blobs: 0 });

    coffer.clock.advance(DAY);
    expect(await young.client.status("GET", "/v0/drives")).toBe(401);
    expect(await sweep.run()).toMatchObject({ drives: 1 });
    coffer.clock.advance(2 * 60 * 60 * 1000);
    expect(await sweep.run()).toMatchObject({ blobs: 1 });
    expect((await contentsOnDisk(coffer.dataDir)).blobs).toHaveLength(1);
    expect((await world.clients.ada.send("GET", `/v0/files/${world.files.ada}/download`)).text).toBe(
      "Hello World!",
    );
  });

  test("stays gone, and all else stays there, after a restart", async () => {
    await using coffer = await startAppliance();
    const world = await populate(coffer);
    coffer.clock.advance(30 * DAY);
    await coffer.appliance.services.sweep.run();
    await coffer.restart();
    // The port is another one now.
    const ada = coffer.client(world.keys.ada);
    expect((await ada.send("GET", `/v0/files/${world.files.ada}/download`)).text).toBe("Hello World!");
    expect(await coffer.client(world.keys.agent).status("GET", "/v0/drives")).toBe(401);
  });

  test("a deleted drive gives its room back as well", async () => {
    await using coffer = await startAppliance();
    const drive = await provision(coffer);
    await Promise.all(
      Array.from({ length: 450 }, (_, i) =>
        drive.client.json(201, "PUT", `/v0/files?drive_id=${drive.id}&path=${i % 9}/${i}`, {
          body: `${i % 50}`,
        }),
      ),
    );
    expect((await contentsOnDisk(coffer.dataDir)).blobs).toHaveLength(50);
    await drive.client.delete(`/v0/drives/${drive.id}`);
    const { sweep } = coffer.appliance.services;
    expect(await sweep.run()).toMatchObject({ drives: 1 });
    coffer.clock.advance(2 * 60 * 60 * 1000);
    expect(await sweep.run()).toMatchObject({ blobs: 50 });
    expect(await contentsOnDisk(coffer.dataDir)).toEqual({ blobs: [], tmp: [] });
  });
});
