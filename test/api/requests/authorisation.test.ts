import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/server/client.ts";
import {
  expectCommonRules,
  openStage,
  runEach,
  runScenarios,
  type Stage,
} from "../../support/server/scenario.ts";
import { gives, NOWHERE, refuses, step } from "../../support/server/steps.ts";
import { Belongings } from "../../support/faults/change-database.ts";
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
  requestOf,
  type RouteRow,
  ROUTES,
} from "../../support/server/routes.ts";
import { makeTarget, type Named, routeOf, type Target } from "../../support/server/targets.ts";
import { CALLERS, type CallerName, startWorld } from "../../support/server/world.ts";

const stage = openStage();

let belongings: Belongings;
beforeAll(() => {
  belongings = new Belongings(stage.coffer.dataDir);
});
afterAll(() => belongings[Symbol.dispose]());

/** A row, with the route that it is about. */
interface Entry {
  readonly name: string;
  readonly route: string;
  readonly row: RouteRow;
  readonly of: Expectations;
  readonly isRead: boolean;
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
  [
    "POST /v0/trash/restore",
    everybody({ writers: 200, readers: 403 }),
    { about: "of nothing", body: { trash_ids: ["nothing"] } },
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

const MATRIX = [...ROUTES, ...OTHERS].flatMap((row): Entry[] => {
  const [request, of, { about } = {}] = row;
  const route = routeOf(request);
  const name = about === undefined ? route : `${route} ${about}`;
  return typeof of === "number" ? [] : [{ name, route, row, of, isRead: route.startsWith("GET ") }];
});

test("every route of /v0 in the API description is in the matrix, and every entry is a route", async () => {
  const { operations } = await Description.of(stage.coffer.client());
  // Who may sign in is no question of keys: nobody has one yet.
  const described = operations.filter(({ path }) => /^\/v0(\/|$)/.test(path));
  const routes = described.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(MATRIX.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted());
});

type Place = Pick<Stage, "coffer" | "world">;

let cases = 0;

/** Makes what an entry is about, in a folder of its own in an owner's drive. */
function prepare({ coffer, world }: Place, owner: Owner, { row: [request, , more] }: Entry): Promise<Target> {
  cases += 1;
  const place = { client: world.clients[owner], drive: world.drives[owner], path: `notes/case-${cases}/f` };
  return makeTarget({ coffer, world, ...place }, `${request} ${JSON.stringify(more?.body)}`);
}

/** Makes room for the next one's key: a drive may have only a hundred. It, or its drive, may be gone already. */
async function dropTarget({ coffer, world }: Place, owner: Owner, { key, work }: Target): Promise<void> {
  if (key !== undefined) await world.clients[owner].send("DELETE", `/v0/keys/${key}`);
  if (work !== undefined) forgetWork(coffer.dataDir, work);
}

function ask({ world }: Place, caller: CallerName, { row }: Entry, target: Named): Promise<Answer> {
  return world.clients[caller].send(...requestOf(row, { unknown: target["file"] ?? "", ...target }));
}

const { of: ofDrives } = MATRIX.find(({ route }) => route === "GET /v0/drives/{id}") ?? { of: everyone };

/** What never was, by the same names; in the drive, for who sees that. */
function neverWas(target: Target, seesDrive: boolean): Named {
  const names = Object.keys(target).map((name) => [name, NOWHERE]);
  const folder = seesDrive ? "notes/never/" : "case-0/";
  const drive = seesDrive ? target.drive : NOWHERE;
  return { ...Object.fromEntries(names), suffix: "0", drive, folder, path: `${folder}f` };
}

function withoutId({ status, text }: Answer): unknown {
  const { error }: { error: { code: string; message: string } } = JSON.parse(text);
  return { status, code: error.code, message: error.message };
}

/** Asks, and requires the answer that the matrix names: for what is not theirs, that for what never was. */
async function check(at: Place, entry: Entry, target: Target, owner: Owner, caller: CallerName) {
  // So that whatever is touched shows in its updated_at.
  at.coffer.clock.advance(1);
  const answer = await ask(at, caller, entry, target);
  const expected = entry.of[owner][caller];
  expect([answer.status, expected === answer.status ? "" : answer.text]).toEqual([expected, ""]);
  expectCommonRules("GET", answer);
  if (expected === 404) {
    const missing = await ask(at, caller, entry, neverWas(target, ofDrives[owner][caller] === 200));
    expect(withoutId(answer)).toEqual(withoutId(missing));
  }
  if (!entry.isRead) return;
  const [request, ...rest] = entry.row;
  const head = await ask(at, caller, { ...entry, row: [request.replace("GET", "HEAD"), ...rest] }, target);
  expect([head.status, head.text]).toEqual([expected, ""]);
  expectCommonRules("HEAD", head);
}

for (const entry of MATRIX) {
  describe.each(["agent", "ada"] as const)(`${entry.name}, at %s's`, (owner) => {
    const statuses = entry.of[owner];
    const changes = (caller: CallerName) => !entry.isRead && statuses[caller] < 400;

    describe("changes nothing", () => {
      let target: Target;
      let before: unknown;
      beforeAll(async () => {
        target = await prepare(stage, owner, entry);
        before = belongings.all();
      });
      afterAll(() => dropTarget(stage, owner, target));

      for (const caller of CALLERS.filter((each) => !changes(each))) {
        test(`${caller}: ${statuses[caller]}`, () => check(stage, entry, target, owner, caller));
      }

      test("none of them has", () => {
        expect(belongings.all()).toEqual(before);
      });
    });

    for (const caller of CALLERS.filter(changes)) {
      test(`${caller}: ${statuses[caller]}`, async () => {
        await using own = entry.row[2]?.destroys === undefined ? null : await startWorld();
        const at = own === null ? stage : { coffer: own, world: own };
        const target = await prepare(at, owner, entry);
        await check(at, entry, target, owner, caller);
        await dropTarget(at, owner, target);
      });
    }
  });
}

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

runScenarios(stage, {
  "a key of one drive does not revoke its owner's": [
    refuses("adaDrive DELETE /v0/keys/{keyIds.ada}", "NOT_FOUND"),
    step("ada GET /v0/keys", { contains: ["{keyIds.ada}"] }),
  ],
  "a method override is no method": [
    step("agentReader GET /v0/files/{files.agent}?_method=DELETE", {
      headers: { "x-http-method-override": "DELETE", prefer: "handling=lenient" },
      json: { id: "{files.agent}" },
    }),
    gives("agent GET /v0/files/{files.agent}", { id: "{files.agent}" }),
  ],
});
