import { describe, expect, test } from "bun:test";
import type { KeyRecord } from "../../../src/http/records/record-schemas.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Json } from "../../support/server/client.ts";
import { openStage, runEach, runScenarios, startWithDrive } from "../../support/server/scenario.ts";
import type { Step } from "../../support/server/steps.ts";
import { gives, NOWHERE, refused, refuses, step, invalid, wrongBodies } from "../../support/server/steps.ts";
import { callerWith } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startWorld } from "../../support/server/world.ts";

const stage = openStage();
const it = testWith(startWithDrive);

function create(body: Json, more: Partial<Step> = {}): Step {
  const json = { key: expect.stringMatching(/^cof_sk_live_/) };
  return step("POST /v0/keys", { body, status: 201, json, ...more });
}

const EMOJI = "\u{1F600}".repeat(64);

describe("create", () => {
  runScenarios(stage, {
    "answers the key, whole, with its secret": create(
      { name: " Night shift " },
      {
        json: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          key: expect.stringMatching(/^cof_sk_live_[0-9a-f]{48}$/),
          key_prefix: expect.stringMatching(/^cof_sk_live_[0-9a-f]{4}$/),
          name: "Night shift",
          scope: "read-write",
          drive_id: "{drive}",
          created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
          last_used_at: null,
          expires_at: null,
        },
      },
    ),
    "one that expires, and the list says when": [
      create({ expires_at: "2100-01-31" }, { json: { expires_at: "2100-01-31T00:00:00.000Z" } }),
      gives("GET /v0/keys", [{ expires_at: null }, { expires_at: "2100-01-31T00:00:00.000Z" }]),
    ],
    "one that never expires": create({ expires_at: null }, { json: { expires_at: null } }),
    "nothing needs to be said": create({}, { json: { name: "", scope: "read-write" } }),
    "an empty name": create({ name: "" }, { json: { name: "" } }),
    "64 emoji": create({ name: EMOJI }, { json: { name: EMOJI } }),
    "read-only": create({ scope: "read-only" }, { json: { scope: "read-only" } }),
    "for one's own drive": create({ drive_id: "{drive}" }, { json: { drive_id: "{drive}" } }),
    "an account's key reaches all of its drives": create({}, { as: "ada", json: { drive_id: null } }),
    "an account's key for one drive, which it names by its slug": create(
      { drive_id: "ada/notes" },
      { as: "ada", json: { drive_id: "{drives.ada}" } },
    ),
    "for a drive that is not there": create({ drive_id: NOWHERE }, refused("NOT_FOUND")),
  });
  const kind = { status: 201, json: { name: "", scope: "read-write", drive_id: "{drive}" } };
  runEach(stage, [undefined, "", {}, "\ufeff{}", { name: null, scope: null, drive_id: null }], (body) => [
    `of the default kind, with ${JSON.stringify(body)} as the body`,
    step("POST /v0/keys", body === undefined ? kind : { body, ...kind }),
  ]);
  const wrong = wrongBodies({
    name: ["x".repeat(65), "a\u0000", "a\nb", "\ud800", 5],
    scope: ["admin", "", "READ-ONLY", ["read-only"]],
    drive_id: [5, ""],
    expires_at: [5, "", "2100-02-30T00:00:00Z", "2001-01-31T00:00:00Z"],
  });
  const bodies: [Json, string][] = [...wrong, [[], "body"], ["{", "body"]];
  runEach(stage, bodies, ([body, field]) => [
    `${JSON.stringify(body).slice(0, 40)} is refused`,
    create(body, invalid(field)),
    gives("GET /v0/keys", [{ scope: "read-write" }]),
  ]);

  test("every secret is another, of a key for that drive alone, which sees such keys alone", async () => {
    const own = await stage.ownDrive();
    const made = await Promise.all(
      Array.from({ length: 20 }, () => own.client.makeKey<KeyRecord & { key: string }>()),
    );
    expect(new Set(made.map(({ key }) => key)).size).toBe(20);
    for (const { key, key_prefix } of made) expect(key.slice(0, 16)).toBe(key_prefix);
    const client = stage.coffer.client(made[0]?.key);
    expect(await client.get("/v0/drives")).toMatchObject({ data: [{ id: own.id }] });
    expect(await client.get<KeyRecord[]>("/v0/keys")).toHaveLength(21);
    // The next request with it is refused, also where one had been seen before.
    await own.client.delete(`/v0/keys/${made[0]?.id}`);
    expect(await client.status("GET", "/v0/drives")).toBe(401);
    await own.client.get("/v0/drives");
  });
});

describe("list", () => {
  const unused = { drive_id: "{drive}", last_used_at: null };
  runScenarios(stage, {
    "oldest first, without secrets; a provisioned key shows 12 characters of itself": [
      create({ name: "One" }, { keeps: "one" }),
      create({ name: "Two", scope: "read-only" }, { keeps: "two" }),
      gives(
        "GET /v0/keys",
        [
          {
            key_prefix: expect.stringMatching(/^cof_[0-9a-f]{8}$/),
            scope: "read-write",
            drive_id: "{drive}",
            last_used_at: expect.any(String),
          },
          { ...unused, id: "{one.id}", key_prefix: "{one.key_prefix}", name: "One", scope: "read-write" },
          { ...unused, id: "{two.id}", key_prefix: "{two.key_prefix}", name: "Two", scope: "read-only" },
        ],
        { omits: ['"key":', "{one.key}", "{two.key}", '"hash"'] },
      ),
    ],
  });

  it("last_used_at follows the key's use, also over a restart", async (coffer) => {
    const { own } = coffer;
    const made = await own.client.makeKey();
    const lastUse = async () => {
      const keys = await coffer.client(own.key).get<KeyRecord[]>("/v0/keys");
      return keys.find(({ id }) => id === made.id)?.last_used_at;
    };
    expect(await lastUse()).toBeNull();
    coffer.clock.advance(5000);
    const used = coffer.clock.iso();
    await coffer.client(made.key).get("/v0/drives");
    coffer.clock.advance(5000);
    await coffer.restart();
    expect(await lastUse()).toBe(used);
    await coffer.client(made.key).send("GET", "/v0/nothing");
    expect(await lastUse()).toBe(coffer.clock.iso());
  });

  it("last_used_at is not lost when it cannot be written down for a while", async (coffer) => {
    changeDatabase(
      coffer.dataDir,
      "CREATE TRIGGER sabotage BEFORE UPDATE OF last_used_at ON api_key BEGIN SELECT RAISE(ABORT, 'sabotaged'); END",
    );
    await coffer.own.client.get("/v0/drives");
    const used = coffer.clock.iso();
    const { apiKeys } = coffer.appliance.services;
    expect(apiKeys.flushUse()).rejects.toThrow("sabotaged");
    changeDatabase(coffer.dataDir, "DROP TRIGGER sabotage");
    await apiKeys.flushUse();
    const [[stored] = []] = rowsIn(coffer.dataDir, "SELECT last_used_at FROM api_key");
    expect(new Date(Number(stored)).toISOString()).toBe(used);
  });
});

const HOUR_MS = 60 * 60 * 1000;

describe("expire", () => {
  it("at once, for requests, the list and links, before the sweep and after it", async (coffer) => {
    const { own, clock } = coffer;
    const { apiKeys, folders, sweep } = coffer.appliance.services;
    const file = await own.client.put(own.id, "a", "x");
    const made = await own.client.makeKey({ expires_at: clock.iso(HOUR_MS) });
    const client = coffer.client(made.key);
    const presigned = `/v0/files/${file.id}/presigned-url`;
    const link = await client.post<{ token: string }>(presigned, { expires_in: 86_400 }, 200);
    const statuses = async () => [
      await client.status("GET", "/v0/drives"),
      await coffer.client().status("GET", `/v0/presigned/${link.token}`),
      (await own.client.get<KeyRecord[]>("/v0/keys")).length,
    ];
    clock.advance(HOUR_MS - 1);
    expect(await statuses()).toEqual([200, 200, 2]);
    const caller = callerWith({ apiKeys }, made.key);
    clock.advance(1);
    expect(await statuses()).toEqual([401, 404, 1]);
    // Nor does a write that was on its way change anything.
    expect(folders.create(caller, own.id, "late/")).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await sweep.run();
    expect(await statuses()).toEqual([401, 404, 1]);
    expect(rowsIn(coffer.dataDir, "SELECT count(*) FROM api_key")).toEqual([[1]]);
  });

  it("with the keys that they made, which cannot outlive them", async (coffer) => {
    const { own, clock } = coffer;
    const body = { expires_at: clock.iso(HOUR_MS) };
    const client = coffer.client((await own.client.makeKey(body)).key);
    expect(await client.makeKey<object>()).toMatchObject(body);
    const sooner = { expires_at: clock.iso(HOUR_MS - 1) };
    expect(await client.makeKey<object>(sooner)).toMatchObject(sooner);
    const later = { expires_at: clock.iso(HOUR_MS + 1) };
    expectRefused(await client.send("POST", "/v0/keys", { body: later }), "VALIDATION_ERROR", "expires_at");
  });
});

describe("revoke", () => {
  runScenarios(stage, {
    "once, and at once": [
      create({}, { keeps: "made" }),
      gives("DELETE /v0/keys/{made.id}", { id: "{made.id}", revoked: true }),
      refuses("DELETE /v0/keys/{made.id}", "NOT_FOUND"),
      gives("GET /v0/keys", [{ drive_id: "{drive}" }], { omits: ["{made.id}"] }),
    ],
    "none of that id": refuses(`DELETE /v0/keys/${NOWHERE}`, "NOT_FOUND"),
    "no id at all": refuses("DELETE /v0/keys/nonsense", "NOT_FOUND"),
  });

  test("an account revokes the keys of its drives, and they stay revoked over a restart", async () => {
    await using coffer = await startWorld();
    const { clients, keys } = coffer;
    const drives = await clients.ada.get<KeyRecord[]>("/v0/keys");
    const limited = drives.find(({ key_prefix }) => keys.adaDrive?.startsWith(key_prefix));
    await clients.ada.delete(`/v0/keys/${limited?.id}`);
    expect(await clients.adaDrive.status("GET", "/v0/drives")).toBe(401);
    await coffer.restart();
    expect(await coffer.client(keys.adaDrive).status("GET", "/v0/drives")).toBe(401);
    expect(await coffer.client(keys.ada).status("GET", "/v0/drives")).toBe(200);
  });
});
