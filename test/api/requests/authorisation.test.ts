import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestAppliance, startAppliance } from "../../support/server/appliance.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import {
  expectCommonRules,
  fill,
  fillJson,
  gives,
  HELLO,
  openStage,
  put,
  refused,
  refuses,
  runEach,
  runScenarios,
  step,
  type Step,
} from "../../support/server/scenario.ts";
import { forgetWork, recordWork } from "../../support/faults/recorded-work.ts";
import { CALLERS, type CallerName, populate, type World } from "../../support/server/world.ts";
import {
  byPath,
  HOOK,
  makeWebhook,
  putIntoTrash,
  routeOf,
  takeSnapshot,
} from "../../support/server/targets.ts";

const stage = openStage();

type Owner = "agent" | "ada";
type Statuses = Readonly<Record<CallerName, number>>;

/** What a request names, by the names that it has for it. */
type Named = Readonly<Record<string, string>>;

/** Something of an owner's drive that was made for one case. What a route has none of is empty. */
interface Target extends Named {
  readonly drive: string;
  readonly folder: string;
  readonly file: string;
  /** The id of a key limited to the drive. */
  readonly key: string;
  /** The id of a removal of the folder that is under way. */
  readonly work: string;
}

type Expectations = Readonly<Record<Owner, Statuses>>;

/** A request about a target, and what becomes of everybody who sends it. What is in braces is the target's. */
type Row = readonly [request: string, of: Expectations, more?: More];

interface More {
  /** Tells entries of the same route apart. */
  readonly about?: string;
  readonly body?: Json;
  /** Whoever succeeds takes the owner's drive away: they get a world of their own. */
  readonly destroys?: true;
}

/** A row, with the route that it is about. */
interface Entry extends More {
  readonly route: string;
  readonly path: (target: Named) => string;
  readonly of: Expectations;
}

/** Ada's applications, and the key that her key made. */
function letIn(status: number) {
  return { adaMade: status, adaApp: status, adaDriveApp: status };
}

/** What is answered to who sees nothing of a drive. */
const { ada: nothing } = everybody({ writers: 404, readers: 404 });

/** For what is in the folder that `adaPrefix` sees, and `adaBeside` does not. */
function reading(ok: number): Expectations {
  const ofAda = { ada: ok, adaReader: ok, adaDrive: ok, carol: ok, dan: ok, ...letIn(ok) };
  const inFolder = { adaPrefix: ok, adaPrefixReader: ok, adaBeside: 404 };
  return {
    agent: { ...nothing, agent: ok, agentReader: ok },
    ada: { ...nothing, ...ofAda, ...inFolder },
  };
}

/** For a drive, of which everybody is shown what they may see. */
function looking(ok: number): Expectations {
  return forAdas(reading(ok), { adaBeside: ok });
}

/** For what a read-only key is refused before the request is read. */
const READERS = { agentReader: 403, adaReader: 403, adaPrefixReader: 403 };

/** For something in the folder that is named by its id. */
function writing(ok: number): Expectations {
  const keys = { ada: ok, adaDrive: ok, adaPrefix: ok, adaBeside: 404 };
  const ofAda = { ...keys, carol: 403, dan: ok, ...letIn(ok) };
  return {
    agent: { ...nothing, ...READERS, agent: ok },
    ada: { ...nothing, ...READERS, ...ofAda },
  };
}

/** For a path in the folder: who may not write there is told so. */
function writingAt(ok: number): Expectations {
  return forAdas(writing(ok), { adaBeside: 403 });
}

/** For what was in a drive: its readers see what is there now. */
function history(of: Expectations): Expectations {
  return forAdas(of, { carol: 403 });
}

/** For what only the owner decides. */
function managing(ok: number): Expectations {
  return forAdas(writing(ok), { dan: 403, adaPrefix: 403, adaBeside: 403 });
}

/** The keys that are limited to a folder, at what is about a whole drive. */
const LIMITED = { adaPrefix: 403, adaPrefixReader: 403, adaBeside: 403 };

/** For what only the owner sees. */
function managed(ok: number): Expectations {
  return forAdas(reading(ok), { carol: 403, dan: 403, ...LIMITED });
}

/** For what only who manages the drive may read, and others are not told of. */
function managedAlone(ok: number): Expectations {
  const limited = { adaPrefix: 404, adaPrefixReader: 404, adaBeside: 404 };
  return forAdas(reading(ok), { carol: 404, dan: 404, ...limited });
}

/** The same, but for what was let in: it is refused before anything is looked for. */
function ofPeople({ agent, ada }: Expectations, reads = false): Expectations {
  const refusedFirst = { ...letIn(403), ...(reads ? { adaReader: 403 } : {}) };
  return { agent: { ...agent, ...refusedFirst }, ada: { ...ada, ...refusedFirst } };
}

/** The same, for who is in a drive: its own key lets nobody in either. */
function sharing(of: Expectations): Expectations {
  return forAgent(forAdas(of, { adaDrive: 403, ...letIn(403) }), 403);
}

/** For what only who manages the drive, and its maker, is told of. */
function ofWhoManages(ok: number): Expectations {
  return forAdas(writing(ok), { carol: 404, dan: 404, adaPrefix: 404, adaBeside: 404 });
}

/** The same, with others for Ada's drive. */
function forAdas({ agent, ada }: Expectations, others: Partial<Statuses>): Expectations {
  return { agent, ada: { ...ada, ...others } };
}

/** The same, but for keys that are limited to a folder. */
function wholly({ agent, ada }: Expectations): Expectations {
  return { agent: { ...agent, ...LIMITED }, ada: { ...ada, ...LIMITED } };
}

/** The same, with another for the agent, whose drive nobody has claimed. */
function forAgent({ agent, ada }: Expectations, status: number): Expectations {
  return { agent: { ...agent, agent: status }, ada };
}

/** For routes that answer everybody about what is theirs: nobody is told that a target is not there. */
function everybody(statuses: { readonly writers: number; readonly readers: number }): Expectations {
  const { writers, readers } = statuses;
  const all = {
    nobody: 401,
    liar: 401,
    agent: writers,
    agentReader: readers,
    otherAgent: writers,
    ada: writers,
    adaReader: readers,
    adaDrive: writers,
    bob: writers,
    carol: writers,
    dan: writers,
    adaPrefix: writers,
    adaPrefixReader: readers,
    adaBeside: writers,
    ...letIn(writers),
  };
  return { agent: all, ada: all };
}

const everyone = everybody({ writers: 200, readers: 200 });

/** For routes that need an account: what those get who have one, and its read-only key. */
function accounts(status: number, reader = 403): Expectations {
  const { ada: none } = everybody({ writers: 403, readers: 403 });
  const made = { adaReader: reader, adaMade: status, adaApp: status };
  const each = { ...none, ada: status, bob: status, carol: status, dan: status, ...made };
  return { agent: each, ada: each };
}

/** For routes that need somebody who acts for a person. */
function people(status: number): Expectations {
  return ofPeople(accounts(status));
}

const provisioning = { ...everybody({ writers: 201, readers: 403 }).ada, nobody: 201, liar: 201 };
/** Nobody gets in with a key. */
const signedInOnly = everybody({ writers: 403, readers: 403 });
const nothingToWrite = { ...everybody({ writers: 404, readers: 403 }).ada, nobody: 404, liar: 404 };
const nothingThere = { ...nothing, nobody: 404, liar: 404 };
const forAll = { ...everyone.ada, nobody: 200, liar: 200 };

/** For what makes a drive of one's own from another: whoever has no account is refused first. */
function forking(ok: number): Expectations {
  const missing = accounts(404).agent;
  return { agent: missing, ada: { ...missing, ada: ok, adaMade: ok, adaApp: ok, carol: 403, dan: ok } };
}

/** The same for both owners. */
const alike = (statuses: Statuses): Expectations => ({ agent: statuses, ada: statuses });

const drive_id = "{drive}";

const ROWS: readonly Row[] = [
  ["GET /v0", alike(forAll)],
  ["POST /v0/drives/provision", alike(provisioning), { body: { name: "New" } }],
  ["POST /v0/drives", accounts(201), { body: { name: "New" } }],
  [
    "POST /v0/drives",
    accounts(400),
    { about: "with a body that is none, which a key of one drive is not told", body: "{" },
  ],
  ["POST /v0/drives/claim", people(404), { about: "with a token that is none", body: { token: "clm_none" } }],
  ["GET /v0/drives/claim/{unknown}", alike(nothingThere), { about: "that was never issued" }],
  ["GET /v0/drives", everyone],
  ["GET /v0/drives/{drive}", looking(200)],
  ["PATCH /v0/drives/{drive}", managing(200), { body: { description: "Changed" } }],
  ["DELETE /v0/drives/{drive}", managing(200), { destroys: true }],
  [
    "POST /v0/drives/{drive}/members",
    sharing(managing(200)),
    { about: "of who is one", body: { username: "dan", role: "editor" } },
  ],
  ["GET /v0/drives/{drive}/members", forAdas(reading(200), LIMITED)],
  ["PATCH /v0/drives/{drive}/members/{carol}", sharing(managing(200)), { body: { role: "reader" } }],
  [
    "DELETE /v0/drives/{drive}/members/{carol}",
    sharing(forAdas(managing(200), { carol: 200 })),
    { about: "of Carol", destroys: true },
  ],
  ["POST /v0/drives/{drive}/fork", forking(201), { body: { name: "Fork" } }],
  ["GET /v0/drives/{drive}/snapshots", history(looking(200))],
  ["POST /v0/drives/{drive}/snapshots", forAdas(writing(201), { adaBeside: 201 })],
  ["GET /v0/drives/{drive}/snapshots/{snapshot}", history(looking(200))],
  ["GET /v0/drives/{drive}/snapshots/{snapshot}/compare", history(looking(200))],
  [
    "POST /v0/drives/{drive}/snapshots/{snapshot}/restore",
    forAdas(writing(200), { adaPrefix: 403, adaBeside: 403 }),
  ],
  ["DELETE /v0/drives/{drive}/snapshots/{snapshot}", managing(200)],
  ["GET /v0/drives/{drive}/works", looking(200)],
  ["GET /v0/drives/{drive}/works/{work}", reading(200)],
  ["POST /v0/drives/{drive}/works/{work}/cancel", writing(200)],
  ["GET /v0/changes?drive_id={drive}", looking(200)],
  ["GET /v0/changes", everyone, { about: "of all drives" }],
  ["GET /v0/search?q=f&drive_id={drive}", looking(200)],
  ["GET /v0/search?q=f", everyone, { about: "of all drives" }],
  ["GET /v0/grep?pattern=f&drive_id={drive}", looking(200)],
  ["GET /v0/grep?pattern=f", everyone, { about: "of all drives" }],
  ["GET /v0/files?drive_id={drive}", looking(200)],
  [
    "POST /v0/files",
    writingAt(201),
    { body: { drive_id, filename: "posted", path: "{folder}posted-{suffix}", content: HELLO } },
  ],
  [
    "POST /v0/files",
    writingAt(200),
    { about: "over the file", body: { drive_id, filename: "f", path: "{folder}f", content: "" } },
  ],
  ["PUT /v0/files?drive_id={drive}&path={folder}put-{suffix}", writingAt(201), { body: "x" }],
  ["GET /v0/files/{file}", reading(200)],
  ["PATCH /v0/files/{file}", writing(200), { body: { tags: ["changed"] } }],
  ["DELETE /v0/files/{file}", writing(200)],
  ["POST /v0/files/{file}/copy", writing(201), { body: { destination_path: "{folder}copy-{suffix}" } }],
  ["POST /v0/files/{file}/move", writing(200), { body: { destination_path: "{folder}moved-{suffix}" } }],
  [
    "POST /v0/files/bulk-delete",
    everybody({ writers: 200, readers: 403 }),
    { about: "of nothing", body: { file_ids: [] } },
  ],
  ["GET /v0/files/{file}/download", reading(200)],
  ["GET /v0/files/{file}/versions", history(reading(200))],
  ["GET /v0/files/{file}/versions/1/download", history(reading(200))],
  ["GET /v0/files/{file}/diff?from=2", history(reading(200))],
  ["POST /v0/files/{file}/versions/1/restore", writing(200)],
  ["DELETE /v0/files/{file}/versions/1", forAdas(managing(200), { adaBeside: 404 })],
  ["GET /v0/archive?drive_id={drive}", reading(200)],
  ["GET /v0/files/{file}/text", reading(200)],
  ["POST /v0/files/{file}/edit", writing(200), { body: { op: "append", text: "more" } }],
  ["POST /v0/files/{file}/extract", forAdas(writing(200), { carol: 200 })],
  ["GET /v0/files/{file}/extract", reading(200)],
  ["POST /v0/files/{file}/presigned-url", writing(200), { body: {} }],
  ["GET /v0/presigned/{unknown}", alike(nothingThere), { about: "that was never made" }],
  ["POST /v0/upload-links", writingAt(201), { body: { drive_id, path: "{folder}by-link" } }],
  ["PUT /v0/uploads/{unknown}", alike(nothingToWrite), { about: "that was never made", body: "x" }],
  ["POST /v0/links", writingAt(201), { body: { drive_id, path: "{folder}" } }],
  ["GET /v0/links?drive_id={drive}", looking(200)],
  ["GET /v0/links", everyone, { about: "of all drives" }],
  ["POST /v0/webhooks", ofPeople(managing(201)), { body: { ...HOOK, drive_id } }],
  [
    "POST /v0/webhooks",
    ofPeople(wholly(everybody({ writers: 201, readers: 403 }))),
    { about: "of all drives", body: HOOK },
  ],
  ["GET /v0/webhooks?drive_id={drive}", ofPeople(managed(200), true)],
  ["GET /v0/webhooks", ofPeople(wholly(everyone), true), { about: "of all drives" }],
  ["GET /v0/webhooks/{webhook}", ofPeople(managedAlone(200), true)],
  ["PATCH /v0/webhooks/{webhook}", ofPeople(ofWhoManages(200)), { body: { events: ["file.deleted"] } }],
  ["DELETE /v0/webhooks/{webhook}", ofPeople(ofWhoManages(200))],
  ["POST /v0/webhooks/{webhook}/test", ofPeople(ofWhoManages(201))],
  ["GET /v0/webhooks/{webhook}/deliveries", ofPeople(managedAlone(200), true)],
  ["POST /v0/webhooks/{webhook}/deliveries/{delivery}/resend", ofPeople(ofWhoManages(200))],
  ["DELETE /v0/links/{link}", ofWhoManages(200)],
  ...["", "/files", "/download?path=f", "/extract?path=f", "/archive"].map((rest): Row => [
    `GET /v0/shared/{token}${rest}`,
    alike(forAll),
  ]),
  ["GET /v0/shared/{unknown}", alike(nothingThere), { about: "that was never made" }],
  [
    "POST /v0/shared/{unknown}/unlock",
    alike(nothingToWrite),
    { about: "that was never made", body: { password: "open sesame" } },
  ],
  ["GET /v0/account", accounts(200, 200)],
  ["GET /v0/account/usage", everyone],
  [
    "POST /v0/account/password",
    signedInOnly,
    { body: { current: "ada's password", password: "another password" } },
  ],
  ["GET /v0/sessions", people(200)],
  ["DELETE /v0/sessions", people(200)],
  ["DELETE /v0/sessions/{unknown}", people(404), { about: "that never was" }],
  ["GET /v0/oauth/requests/{unknown}", signedInOnly],
  ["POST /v0/oauth/requests/{unknown}", signedInOnly, { body: { allow: true } }],
  ["GET /v0/users", signedInOnly],
  ["POST /v0/users", signedInOnly, { body: { username: "eve", password: "eve's password" } }],
  ["PATCH /v0/users/{unknown}", signedInOnly, { body: { plan: "team" } }],
  ["GET /v0/folders?drive_id={drive}", looking(200)],
  ["POST /v0/folders", writingAt(201), { body: { drive_id, path: "{folder}folder-{suffix}/" } }],
  ...(["move", "copy"] as const).map((how): Row => [
    `POST /v0/folders/${how}`,
    // What is only read is not there; what is taken away may not be.
    how === "move" ? writingAt(200) : writing(201),
    { body: { drive_id, path: "{folder}", destination_path: `notes/${how}-{suffix}/` } },
  ]),
  ["DELETE /v0/folders", writingAt(200), { body: { drive_id, path: "{folder}", confirm: true } }],
  ["DELETE /v0/folders", writingAt(200), { about: "as a preview", body: { drive_id, path: "{folder}" } }],
  ["POST /v0/keys", ofPeople(everybody({ writers: 201, readers: 403 })), { body: {} }],
  [
    "POST /v0/keys",
    ofPeople(forAdas(managing(201), { adaPrefix: 201, adaBeside: 201 })),
    { about: "for the drive", body: { drive_id } },
  ],
  ["GET /v0/trash", everyone, { about: "of all drives" }],
  ["GET /v0/trash?drive_id={drive}", history(looking(200)), { about: "of the drive" }],
  ["GET /v0/trash/{trash}", history(reading(200))],
  ["POST /v0/trash/{trash}/restore", writing(200)],
  ["DELETE /v0/trash/{trash}", forAdas(managing(200), { adaBeside: 404 })],
  ["DELETE /v0/trash", managing(200), { body: { drive_id, confirm: true } }],
  ["GET /v0/keys", everyone],
  ["GET /v0/keys/{key}", forAdas(managedAlone(200), { adaReader: 404, ...letIn(404) })],
  ["DELETE /v0/keys/{key}", forAdas(ofWhoManages(200), { adaDrive: 403, ...letIn(404) })],
];

/** Routes that only read the file that they name. */
const READS_FILE = /^GET |\/(copy|extract)$/;

/** The same about a file at a path. */
const BY_PATH = ROWS.filter(([request]) => request.includes("{file}")).map(
  ([request, of, more = {}]): Row => [
    byPath(request, "{folder}f"),
    forAdas(of, { adaBeside: READS_FILE.test(routeOf(request)) ? 404 : 403 }),
    more,
  ],
);

const MATRIX = [...ROWS, ...BY_PATH].map(([request, of, more]): Entry => ({
  route: routeOf(request),
  path: (target) => fill(request, target).split(" ").at(-1) ?? "",
  of,
  ...more,
}));

test("every route of /v0 in the API description is in the matrix, and every entry is a route", async () => {
  const description = await stage.coffer
    .client()
    .get<{ paths: Record<string, Record<string, unknown>> }>("/docs/openapi.json");
  // Who may sign in is no question of keys: nobody has one yet.
  const routes = Object.entries(description.paths).filter(([path]) => /^\/v0(\/|$)/.test(path));
  const described = routes.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...new Set(MATRIX.map(({ route }) => route))].toSorted()).toEqual(described.toSorted());
});

let cases = 0;

async function makeTarget(
  coffer: TestAppliance,
  world: World,
  owner: Owner,
  { route }: Entry,
): Promise<Target> {
  cases += 1;
  const folder = `notes/case-${cases}/`;
  const drive = world.drives[owner];
  const client = world.clients[owner];
  const address = `/v0/files?drive_id=${drive}&path=${folder}f`;
  const file = await client.json<{ id: string }>(201, "PUT", address, { body: "x" });
  if (/versions|diff/.test(route)) await client.json(200, "PUT", address, { body: "y" });
  const key = await client.makeKey({ drive_id: drive });
  const snapshot = route.includes("{sid}") ? await takeSnapshot(client, drive) : "";
  const trash = route.includes("/v0/trash") ? await putIntoTrash(client, drive, `${folder}gone`) : "";
  const shown = { drive_id: drive, path: folder };
  const link = await client.post<{ id: string; token: string }>("/v0/links", shown);
  const hook = route.includes("/v0/webhooks")
    ? await makeWebhook(client, drive)
    : { webhook: "", delivery: "" };
  const work = route.includes("{wid}") ? recordWork(coffer.dataDir, drive, folder) : "";
  const made = { file: file.id, unknown: file.id, key: key.id, snapshot, work, trash, ...hook };
  const shared = { link: link.id, token: link.token };
  return { drive, folder, ...made, ...shared, carol: world.carol, suffix: String(cases) };
}

/** Makes room for the next one's key: a drive may have only a hundred. It, or its drive, may be gone already. */
async function dropTarget(
  { dataDir }: TestAppliance,
  { clients }: World,
  owner: Owner,
  { key, work }: Target,
): Promise<void> {
  await clients[owner].send("DELETE", `/v0/keys/${key}`);
  if (work !== "") forgetWork(dataDir, work);
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
  const [method = ""] = entry.route.split(" ");
  const options = entry.body === undefined ? {} : { body: fillJson(entry.body, target) };
  return world.clients[caller].send(method, entry.path(target), options);
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
  const head = await world.clients[caller].send("HEAD", entry.path(target));
  expect([head.status, head.text]).toEqual([expected, ""]);
}

interface Asked {
  readonly owner: Owner;
  readonly caller: CallerName;
}

function isRead({ route }: Entry): boolean {
  return route.startsWith("GET ");
}

function nameOf({ about, route }: Entry): string {
  return about === undefined ? route : `${route} ${about}`;
}

for (const entry of MATRIX) {
  describe.each(["agent", "ada"] as const)(`${nameOf(entry)}, at %s's`, (owner) => {
    const statuses = entry.of[owner];
    const changes = (caller: CallerName) => !isRead(entry) && statuses[caller] < 400;

    describe("changes nothing", () => {
      let target: Target;
      let before: unknown;
      beforeAll(async () => {
        target = await makeTarget(stage.coffer, stage.world, owner, entry);
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
        await using own = entry.destroys === undefined ? null : await startAppliance();
        const coffer = own ?? stage.coffer;
        const world = own === null ? stage.world : await populate(own);
        const target = await makeTarget(coffer, world, owner, entry);
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
  const nowhere = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";
  const { of: ofDrives } = MATRIX.find(({ route }) => route === "GET /v0/drives/{id}") ?? { of: everyone };
  for (const entry of MATRIX.filter((each) => CALLERS.some((caller) => isHidden(each, "agent", caller)))) {
    test.each(["agent", "ada"] as const)(`${nameOf(entry)}, at %s's`, async (owner) => {
      const { coffer, world } = stage;
      const target = await makeTarget(coffer, world, owner, entry);
      const names = Object.keys(target).map((name) => [name, nowhere]);
      const absent = { ...Object.fromEntries(names), suffix: "0" };
      for (const caller of CALLERS.filter((each) => isHidden(entry, owner, each))) {
        // Who sees the drive asks for what never was in there.
        const isIn = ofDrives[owner][caller] === 200;
        const never = isIn
          ? { ...absent, drive: target.drive, folder: "notes/never/" }
          : { ...absent, folder: "case-0/" };
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

/** Asks with a header made of a good key. */
async function askWith(of: (key: string) => string): Promise<Answer> {
  const own = await stage.ownDrive();
  return stage.coffer.client().send("GET", "/v0/drives", { headers: { authorization: of(own.key) } });
}

describe("the Authorization header", () => {
  const refusedHeaders: [name: string, of: (key: string) => string][] = [
    ["empty", () => ""],
    ["the key alone", (key) => key],
    ["Basic", (key) => `Basic ${btoa(`${key}:`)}`],
    ["two keys", (key) => `Bearer ${key} ${key}`],
    ["two headers in one", (key) => `Bearer ${key}, Bearer ${key}`],
    ["a key cut short", (key) => `Bearer ${key.slice(0, -1)}`],
    ["a key with more", (key) => `Bearer ${key}0`],
    ["the key's start", (key) => `Bearer ${key.slice(0, 12)}`],
    ["upper case", (key) => `Bearer ${key.toUpperCase()}`],
    ["the key's hash", (key) => `Bearer ${Bun.SHA256.hash(key, "hex")}`],
    ["SQL", () => "Bearer ' OR 1=1 --"],
  ];
  const acceptedHeaders: [name: string, of: (key: string) => string][] = [
    ["as it should be", (key) => `Bearer ${key}`],
    ["in lower case (RFC 9110, section 11.1)", (key) => `bearer ${key}`],
  ];
  test.each(refusedHeaders)("%s is refused", async (_, of) => {
    const answer = await askWith(of);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
    expectCommonRules("GET", answer);
  });
  test.each(acceptedHeaders)("%s", async (_, of) => {
    expect((await askWith(of)).status).toBe(200);
  });
  test("a key in the query counts for nothing", async () => {
    const own = await stage.ownDrive();
    const answer = await stage.coffer
      .client()
      .send("GET", `/v0/drives?api_key=${own.key}&access_token=${own.key}`);
    expect(answer.status).toBe(401);
  });
});
