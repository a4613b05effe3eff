import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestAppliance, startAppliance } from "../../support/server/appliance.ts";
import type { Answer } from "../../support/server/client.ts";
import {
  expectCommonRules,
  fill,
  fillJson,
  openStage,
  runEach,
  runScenarios,
} from "../../support/server/scenario.ts";
import { gives, refused, refuses, step, type Step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { forgetWork } from "../../support/faults/recorded-work.ts";
import { Description } from "../../support/schemas/description.ts";
import {
  accounts,
  alike,
  everybody,
  everyone,
  type Expectations,
  nothingThere,
  nothingToWrite,
  type Owner,
  people,
  type RouteRow,
  ROUTES,
} from "../../support/server/routes.ts";
import { makeTarget, type Named, routeOf, type Target } from "../../support/server/targets.ts";
import { CALLERS, type CallerName, populate, type World } from "../../support/server/world.ts";

const stage = openStage();

const NOWHERE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

/** A row, with the route that it is about. */
interface Entry {
  readonly route: string;
  readonly request: string;
  readonly of: Expectations;
  readonly more: NonNullable<RouteRow[2]>;
}

/** What is not found by who may ask, and what few rows of `ROUTES` say with other values. */
const OTHERS: readonly RouteRow[] = [
  [
    "POST /v0/drives",
    accounts(400),
    { about: "with a body that is none, which a key of one drive is not told", body: "{" },
  ],
  ["POST /v0/drives/claim", people(404), { about: "with a token that is none", body: { token: "clm_none" } }],
  ["GET /v0/drives/claim/{unknown}", alike(nothingThere), { about: "that was never issued" }],
  [
    "POST /v0/files/bulk-delete",
    everybody({ writers: 200, readers: 403 }),
    { about: "of nothing", body: { file_ids: [] } },
  ],
  ["GET /v0/presigned/{unknown}", alike(nothingThere), { about: "that was never made" }],
  ["PUT /v0/uploads/{unknown}", alike(nothingToWrite), { about: "that was never made", body: "x" }],
  ["GET /v0/shared/{unknown}", alike(nothingThere), { about: "that was never made" }],
  [
    "POST /v0/shared/{unknown}/unlock",
    alike(nothingToWrite),
    { about: "that was never made", body: { password: "open sesame" } },
  ],
  ["DELETE /v0/sessions/{unknown}", people(404), { about: "that never was" }],
];

const MATRIX = [...ROUTES, ...OTHERS].flatMap(([request, of, more = {}]): Entry[] =>
  typeof of === "number" ? [] : [{ route: routeOf(request), request, of, more }],
);

test("every route of /v0 in the API description is in the matrix, and every entry is a route", async () => {
  const { operations } = await Description.of(stage.coffer.client());
  // Who may sign in is no question of keys: nobody has one yet.
  const described = operations.filter(({ path }) => /^\/v0(\/|$)/.test(path));
  const routes = described.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(MATRIX.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted());
});

let cases = 0;

/** Makes what an entry is about, in a folder of its own in an owner's drive. */
function prepare(
  coffer: TestAppliance,
  world: World,
  owner: Owner,
  { request, more }: Entry,
): Promise<Target> {
  cases += 1;
  const place = { client: world.clients[owner], drive: world.drives[owner], path: `notes/case-${cases}/f` };
  return makeTarget({ coffer, world, ...place }, `${request} ${JSON.stringify(more.body)}`);
}

/** Makes room for the next one's key: a drive may have only a hundred. It, or its drive, may be gone already. */
async function dropTarget(
  { dataDir }: TestAppliance,
  { clients }: World,
  owner: Owner,
  { key, work }: Target,
): Promise<void> {
  if (key !== undefined) await clients[owner].send("DELETE", `/v0/keys/${key}`);
  if (work !== undefined) forgetWork(dataDir, work);
}

interface Ids {
  readonly data: readonly { readonly id: string }[];
}

/** All that the four owners can see, but for when keys and links were used. */
async function everything({ clients, drives }: World): Promise<unknown> {
  const owners = ["agent", "otherAgent", "ada", "bob"] as const;
  const seen = owners.map(async (owner) => {
    const get = <T = unknown>(path: string) => clients[owner].get<T>(path);
    const keys = await clients[owner].get<{ id: string; scope: string }[]>("/v0/keys");
    return [
      await get("/v0/drives"),
      await get(`/v0/drives/${drives[owner]}/members`),
      await get(`/v0/files?drive_id=${drives[owner]}&limit=1000`),
      (await get<Ids>(`/v0/links?drive_id=${drives[owner]}&limit=1000`)).data.map(({ id }) => id),
      await get(`/v0/files?drive_id=${drives[owner]}&limit=1&delimiter=/`),
      await get(`/v0/drives/${drives[owner]}/snapshots`),
      await get("/v0/webhooks"),
      await get(`/v0/trash?drive_id=${drives[owner]}&limit=1000`),
      keys.map(({ id, scope }) => [id, scope]),
    ];
  });
  return Promise.all(seen);
}

async function ask(world: World, caller: CallerName, entry: Entry, target: Named): Promise<Answer> {
  const [method = "", path = ""] = fill(entry.request, { unknown: target["file"] ?? "", ...target }).split(
    " ",
  );
  const { body } = entry.more;
  return world.clients[caller].send(method, path, body === undefined ? {} : { body: fillJson(body, target) });
}

/** Asks, and requires the answer that the matrix names. */
async function check(coffer: TestAppliance, world: World, entry: Entry, target: Target, asked: Asked) {
  const { owner, caller } = asked;
  // So that whatever is touched shows in its updated_at.
  coffer.clock.advance(1);
  const answer = await ask(world, caller, entry, target);
  const expected = entry.of[owner][caller];
  expect([answer.status, expected === answer.status ? "" : answer.text]).toEqual([expected, ""]);
  expectCommonRules("GET", answer);
  if (!isRead(entry)) return;
  const head = await ask(world, caller, { ...entry, request: entry.request.replace("GET", "HEAD") }, target);
  expect([head.status, head.text]).toEqual([expected, ""]);
}

interface Asked {
  readonly owner: Owner;
  readonly caller: CallerName;
}

function isRead({ route }: Entry): boolean {
  return route.startsWith("GET ");
}

function nameOf({ more, route }: Entry): string {
  return more.about === undefined ? route : `${route} ${more.about}`;
}

for (const entry of MATRIX) {
  describe.each(["agent", "ada"] as const)(`${nameOf(entry)}, at %s's`, (owner) => {
    const statuses = entry.of[owner];
    const changes = (caller: CallerName) => !isRead(entry) && statuses[caller] < 400;

    describe("changes nothing", () => {
      let target: Target;
      let before: unknown;
      beforeAll(async () => {
        target = await prepare(stage.coffer, stage.world, owner, entry);
        before = await everything(stage.world);
      });
      afterAll(() => dropTarget(stage.coffer, stage.world, owner, target));

      for (const caller of CALLERS.filter((each) => !changes(each))) {
        test(`${caller}: ${statuses[caller]}`, async () => {
          await check(stage.coffer, stage.world, entry, target, { owner, caller });
        });
      }

      test("none of them has", async () => {
        expect(await everything(stage.world)).toEqual(before);
      });
    });

    for (const caller of CALLERS.filter(changes)) {
      test(`${caller}: ${statuses[caller]}`, async () => {
        await using own = entry.more.destroys === undefined ? null : await startAppliance();
        const coffer = own ?? stage.coffer;
        const world = own === null ? stage.world : await populate(own);
        const target = await prepare(coffer, world, owner, entry);
        await check(coffer, world, entry, target, { owner, caller });
        await dropTarget(coffer, world, owner, target);
      });
    }
  });
}

function withoutId({ status, text }: Answer): unknown {
  const { error }: { error: { code: string; message: string } } = JSON.parse(text);
  return { status, code: error.code, message: error.message };
}

function isHidden({ of }: Entry, owner: Owner, caller: CallerName): boolean {
  return of[owner][caller] === 404;
}

describe("what is not yours is answered like what never was", () => {
  const { of: ofDrives } = MATRIX.find(({ route }) => route === "GET /v0/drives/{id}") ?? { of: everyone };
  for (const entry of MATRIX.filter((each) => CALLERS.some((caller) => isHidden(each, "agent", caller)))) {
    test.each(["agent", "ada"] as const)(`${nameOf(entry)}, at %s's`, async (owner) => {
      const { coffer, world } = stage;
      const target = await prepare(coffer, world, owner, entry);
      const names = Object.keys(target).map((name) => [name, NOWHERE]);
      const absent = { ...Object.fromEntries(names), suffix: "0" };
      for (const caller of CALLERS.filter((each) => isHidden(entry, owner, each))) {
        // Who sees the drive asks for what never was in there.
        const isIn = ofDrives[owner][caller] === 200;
        const folder = isIn ? "notes/never/" : "case-0/";
        const drive = isIn ? target.drive : NOWHERE;
        const never = { ...absent, drive, folder, path: `${folder}f` };
        const foreign = await ask(world, caller, entry, target);
        const missing = await ask(world, caller, entry, never);
        expect([caller, withoutId(foreign)]).toEqual([caller, withoutId(missing)]);
      }
      await dropTarget(coffer, world, owner, target);
    });
  }
});

describe("lists show what is the caller's", () => {
  // A stage of its own, where nothing has been added.
  const untouched = openStage();
  /** Each caller lists, with what they must see. */
  function eachSees(path: string, seen: Partial<Record<CallerName, object>>): void {
    runEach(
      untouched,
      CALLERS.filter((as) => as in seen),
      (as) => [`${as} sees its own`, gives(`${as} GET ${path}`, seen[as] ?? {})],
    );
  }

  const agents = { data: [{ id: "{drives.agent}", user_id: null, slug: null }] };
  const adas = { data: [{ id: "{drives.ada}", slug: "ada/notes" }] };
  describe("GET /v0/drives", () =>
    eachSees("/v0/drives", {
      agent: agents,
      agentReader: agents,
      otherAgent: { data: [{ id: "{drives.otherAgent}" }] },
      ada: adas,
      adaReader: adas,
      adaDrive: adas,
      bob: { data: [{ id: "{drives.bob}", slug: "bob/notes" }] },
      adaPrefix: { data: [{ id: "{drives.ada}", slug: "ada/notes", role: "editor", file_count: 1 }] },
      adaPrefixReader: { data: [{ id: "{drives.ada}", role: "editor", file_count: 1, total_size: 12 }] },
      adaBeside: { data: [{ id: "{drives.ada}", role: "editor", file_count: 0, total_size: 0 }] },
      carol: { data: [{ id: "{drives.ada}", slug: "ada/notes", role: "reader" }] },
      dan: { data: [{ id: "{drives.ada}", slug: "ada/notes", role: "editor" }] },
    }));
  describe("GET /v0/drives?slug=ada/notes", () =>
    eachSees("/v0/drives?slug=ada/notes", {
      agent: { data: [] },
      otherAgent: { data: [] },
      ada: adas,
      adaReader: adas,
      adaDrive: adas,
      bob: { data: [] },
      carol: { data: [{ id: "{drives.ada}" }] },
    }));
  const readWrite = { scope: "read-write" };
  const readOnly = { scope: "read-only" };
  const inNotes = { drive_id: "{drives.ada}", path_prefix: "notes/" };
  const prefixed = [inNotes, { ...inNotes, ...readOnly }, { path_prefix: "note/" }];
  const [app, driveApp] = [{ drive_id: null }, { drive_id: "{drives.ada}" }];
  const made = { made_by: "{keyIds.ada}" };
  describe("GET /v0/keys", () =>
    eachSees("/v0/keys", {
      agent: [{ id: "{keyIds.agent}", ...readWrite }, readOnly],
      agentReader: [{ id: "{keyIds.agent}", ...readWrite }, readOnly],
      otherAgent: [{ id: "{keyIds.otherAgent}" }],
      ada: [
        { id: "{keyIds.ada}", ...readWrite, made_by: null },
        app,
        driveApp,
        { ...readOnly, ...made },
        { ...readWrite, ...made },
        ...prefixed,
        { ...readWrite, ...made },
      ],
      adaReader: [readOnly],
      adaMade: [{ ...readWrite, ...made }],
      adaApp: [app],
      adaDriveApp: [driveApp],
      adaDrive: [driveApp, readWrite, ...prefixed],
      adaPrefix: [inNotes, { ...inNotes, ...readOnly }],
      adaBeside: [{ path_prefix: "note/" }],
      bob: [{ id: "{keyIds.bob}" }],
    }));
});

function copy(as: CallerName, file: string, drive: string): Step {
  return step(`POST /v0/files/{files.${file}}/copy`, {
    as,
    body: { destination_path: "stolen.txt", destination_drive_id: drive },
    ...refused("NOT_FOUND"),
  });
}

function move(as: CallerName, file: string, drive: string): Step {
  return { ...copy(as, file, drive), request: ["POST", `/v0/files/{files.${file}}/move`] };
}

/** A folder of somebody's into a drive, or out of it. */
function transfer(as: CallerName, how: "move" | "copy", from: string, to: string): Step {
  return step(`POST /v0/folders/${how}`, {
    as,
    body: { drive_id: from, path: "notes/", destination_path: "stolen/", destination_drive_id: to },
    ...refused("NOT_FOUND"),
  });
}

describe("no way around", () => {
  const second: Step = step("ada POST /v0/drives", {
    body: { name: "Second" },
    status: 201,
    json: { data: { name: "Second" } },
    keeps: "second",
  });
  const agents = { status: 200, json: { id: "{files.agent}" } };
  runScenarios(stage, {
    "a copy into a foreign drive": copy("agent", "agent", "{drives.ada}"),
    "a copy into a foreign drive by its slug": copy("agent", "agent", "ada/notes"),
    "a move into a foreign drive": move("agent", "agent", "{drives.ada}"),
    "a copy of a foreign file into one's own drive": copy("bob", "ada", "{drives.bob}"),
    "a key of one drive copies into another of its owner's": [
      second,
      copy("adaDrive", "ada", "{second.data.id}"),
    ],
    "a key of one drive moves into another of its owner's": [
      second,
      move("adaDrive", "ada", "{second.data.id}"),
    ],
    "a key of one drive makes itself one for another": [
      second,
      step("adaDrive POST /v0/keys", { body: { drive_id: "{second.data.id}" }, ...refused("NOT_FOUND") }),
    ],
    "a key of one drive reads another of its owner's": [
      second,
      refuses("adaDrive GET /v0/files?drive_id={second.data.id}", "NOT_FOUND"),
    ],
    "a key of one drive revokes its owner's": [
      refuses("adaDrive DELETE /v0/keys/{keyIds.ada}", "NOT_FOUND"),
      step("ada GET /v0/keys", { contains: ["{keyIds.ada}"] }),
    ],
    "bulk-delete leaves foreign files alone": [
      put("mine.txt", "x", { keeps: "mine" }),
      step("POST /v0/files/bulk-delete", {
        body: { file_ids: ["{files.ada}", "{mine.id}", "{files.agent}"] },
        json: { deleted: ["{mine.id}"], failed: ["{files.ada}", "{files.agent}"] },
      }),
      step("ada GET /v0/files/{files.ada}", { json: { id: "{files.ada}" } }),
      step("agent GET /v0/files/{files.agent}", agents),
    ],
    "a read-only key makes no other key": step("adaReader POST /v0/keys", {
      body: { scope: "read-write" },
      ...refused("FORBIDDEN"),
    }),
    "a method override is no method": [
      step("agentReader GET /v0/files/{files.agent}?_method=DELETE", {
        headers: { "x-http-method-override": "DELETE", prefer: "handling=lenient" },
        ...agents,
      }),
      step("agent GET /v0/files/{files.agent}", agents),
    ],
  });
  for (const how of ["move", "copy"] as const) {
    runScenarios(stage, {
      [`${how} of a folder into a foreign drive`]: transfer("agent", how, "{drives.agent}", "{drives.ada}"),
      [`${how} of a foreign folder into one's own drive`]: transfer(
        "bob",
        how,
        "{drives.ada}",
        "{drives.bob}",
      ),
      [`${how} of a folder by a key of one drive into another of its owner's`]: [
        second,
        transfer("adaDrive", how, "{drives.ada}", "{second.data.id}"),
      ],
    });
  }
});
