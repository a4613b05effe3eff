import { describe, expect, test } from "bun:test";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { everythingIn } from "../../support/faults/change-database.ts";
import { archived, filled } from "../../support/samples/archives.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { fill, fillJson, openStageNow, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { makeTarget, routeOf } from "../../support/server/targets.ts";
import { describedApi, ROUTES } from "../../support/server/routes.ts";
import { isThorough, someOf } from "../../support/server/thorough.ts";

const stage = await openStageNow();

/** What a thing can be named by; `trash` is an entry of it. */
const KINDS = [
  "drive",
  "file",
  "key",
  "session",
  "user",
  "snapshot",
  "trash",
  "link",
  "webhook",
  "comment",
  "batch",
] as const;
type Kind = (typeof KINDS)[number];
/** References to one owner's things, or to nothing of the same forms; the slug is that of the drive. */
type Things = Readonly<Record<Kind | "slug", string>>;

/** A place where a caller names a thing of this kind, in braces; and `{mine}`, a drive of the caller. */
type Place = readonly [kind: Kind, request: string, body?: Json, headers?: RequestOptions["headers"]];

/** The same requests from one's own drive into another's, and the other way. */
const BETWEEN: readonly Place[] = [
  ...(["move", "copy"] as const).flatMap((how): Place[] => [
    ["drive", `POST /v0/folders/${how}`, transfer("{drive}", "{mine}", "stolen/")],
    ["drive", `POST /v0/folders/${how}`, transfer("{mine}", "{drive}", "planted/")],
    ["file", `POST /v0/files/{file}/${how}`, { destination_path: "stolen", destination_drive_id: "{mine}" }],
    [
      "drive",
      `POST /v0/files/by-path/${how}?drive_id={mine}&path=notes/hello.txt`,
      { destination_path: "planted", destination_drive_id: "{drive}" },
    ],
  ]),
  ["snapshot", "POST /v0/drives/{mine}/fork", { name: "Stolen", snapshot_id: "{snapshot}" }],
];

function transfer(from: string, to: string, destination_path: string): Json {
  return { drive_id: from, path: "notes/", destination_path, destination_drive_id: to };
}

const PLACES: readonly Place[] = [
  ...BETWEEN,
  ...ROUTES.flatMap(([request, , { body, headers } = {}]) => {
    const text = `${request} ${JSON.stringify(body)}`;
    const named = KINDS.filter((kind) => text.includes(`{${kind}}`));
    return named.map((kind): Place =>
      body === undefined ? [kind, request] : [kind, request, body, headers],
    );
  }),
];

type Form = readonly [name: string, of: (reference: string, things: Things) => string];

/** How somebody may write an identifier, or a slug, so that one reader takes it for another's. */
const FORMS: readonly Form[] = [
  ["as it is", (id) => id],
  ["in upper case", (id) => id.toUpperCase()],
  ["in braces", (id) => `{${id}}`],
  ["as a URN", (id) => `urn:uuid:${id}`],
  ["without hyphens", (id) => id.replaceAll("-", "")],
  ["in quotation marks", (id) => `"${id}"`],
  ["with a space before", (id) => ` ${id}`],
  ["with a space behind", (id) => `${id} `],
  ["with a line behind", (id) => `${id}\n`],
  ["with a dot behind", (id) => `${id}.`],
  ["with a NUL behind", (id) => `${id}\0`],
  ["with a slash behind", (id) => `${id}/`],
  ["with a slash before", (id) => `/${id}`],
  ["behind another's and dots", (id) => `none/../${id}`],
  ["encoded twice", (id) => encodeURIComponent(id.replaceAll("-", "%2d"))],
  ["with an invisible character", (id) => `${id}\u200b`],
  ["in wide digits", (id) => id.replaceAll("0", "\uff10")],
  ["as a wildcard", (id) => `${id.slice(0, -1)}_`],
  ["as a start and anything", (id) => `${id.slice(0, 8)}%`],
  ["an id of a drive", (_, { drive }) => drive],
  ["an id of a file", (_, { file }) => file],
  ["an id of a key", (_, { key }) => key],
  ["an id of a user", (_, { user }) => user],
  ["its slug", (slug) => slug],
  ["its slug in upper case", (slug) => slug.toUpperCase()],
  ["its slug, encoded", (slug) => encodeURIComponent(slug)],
  ["its slug, encoded twice", (slug) => encodeURIComponent(encodeURIComponent(slug))],
  ["its slug with two slashes", (slug) => slug.replace("/", "//")],
  ["its slug with a slash before", (slug) => `/${slug}`],
  ["its slug with a slash behind", (slug) => `${slug}/`],
  ["its slug with a space behind", (slug) => `${slug} `],
  ["its slug with dots", (slug) => slug.replace("/", "/./")],
  ["its slug with a wide slash", (slug) => slug.replace("/", "\uff0f")],
  ["its slug with an accent", (slug) => slug.replace("o", "o\u0301")],
  ["its slug as a wildcard", (slug) => slug.replace("o", "_")],
];

interface Caller {
  readonly client: { send(method: string, path: string, options?: RequestOptions): Promise<Answer> };
  /** A drive of their own, with a file `notes/hello.txt`. */
  readonly drive: string;
}

const nothing = (last: number) => `01976f5e-5d7a-7000-8000-3c5d1a2b4e6${last.toString(16)}`;
const NOTHING: Things = {
  drive: nothing(0),
  slug: "ana/notos",
  file: nothing(1),
  key: nothing(2),
  session: nothing(3),
  user: nothing(4),
  snapshot: nothing(5),
  trash: nothing(6),
  link: nothing(7),
  webhook: nothing(8),
  comment: nothing(9),
  batch: nothing(10),
};

const { ada: owner } = stage.world.clients;
const hers = { ...stage, client: owner, drive: stage.world.drives.ada, path: "notes/hello.txt" };
const made = await makeTarget(hers, KINDS.map((kind) => `{${kind}}`).join());
const ada: Things = { ...NOTHING, ...made, slug: "ada/notes" };
for (const kind of KINDS) expect(ada[kind]).not.toBe(NOTHING[kind]);
const { id: drive, slug } = await owner.makeDrive("Second");
/** Ada's second drive, which a key of her first one does not reach. */
const second: Things = { ...ada, drive, slug, file: await owner.store(drive, "notes/hello.txt") };

/** The answer without what differs from request to request, and with the same word for each reference. */
function shownOf({ status, text }: Answer, reference: string): unknown {
  const same = text.replaceAll(/"request_id":"[^"]*"/g, "").replaceAll(JSON.stringify(reference), "REF");
  return { status, text: same };
}

/** What other places than that of the thing are filled with: the id of a user is no id of another kind. */
const OTHERS = [
  "file",
  "key",
  "snapshot",
  "trash",
  "link",
  "webhook",
  "comment",
  "batch",
  "carol",
  "work",
  "delivery",
];

function ask(caller: Caller, [kind, request, body, headers = {}]: Place, reference: string): Promise<Answer> {
  const scope = {
    ...Object.fromEntries(OTHERS.map((name) => [name, ada.user])),
    folder: "notes/",
    path: "notes/hello.txt",
    suffix: "planted",
    drive: caller.drive,
    mine: caller.drive,
    [kind]: reference,
  };
  const [method = "", path = ""] = request.split(" ");
  const options = body === undefined ? {} : { body: fillJson(body, scope), headers };
  return caller.client.send(method, fill(path, scope, encodeURIComponent), options);
}

/** An ordinary run tries one of so many forms at each place, other ones at the next; and at each the one as it is. */
const SHARE = 4;

/** All places and forms, for one caller: each is answered like what never was, and nothing changes. */
async function expectNothing(caller: Caller, things: Things, places = PLACES, forms = FORMS): Promise<void> {
  const before = everythingIn(stage.coffer.dataDir);
  for (const [n, place] of places.entries()) {
    const [named, request] = place;
    const tried = forms.filter((_, at) => isThorough() || at === 0 || (at + n) % SHARE === 0);
    const answers = await Promise.all(
      tried.map(async ([form, of]) => {
        const kind = form.startsWith("its slug") ? "slug" : named;
        const [theirs, nobodys] = [of(things[kind], things), of(NOTHING[kind], NOTHING)];
        const what = `${request}, ${form}`;
        const [answer, expected] = [await ask(caller, place, theirs), await ask(caller, place, nobodys)];
        // A list of ids is answered for each of them.
        const isOfMany = request.endsWith("/bulk-delete") || request.endsWith("/trash/restore");
        const refusals = isOfMany ? [200, 403] : [403, 404];
        if (form === "as it is") expect([what, refusals.includes(answer.status)]).toEqual([what, true]);
        const shown = [shownOf(answer, theirs), shownOf(expected, nobodys)] as const;
        return [what, shown] as const;
      }),
    );
    for (const [what, [theirs, nobodys]] of answers) expect([what, theirs]).toEqual([what, nobodys]);
  }
  expect(everythingIn(stage.coffer.dataDir)).toEqual(before);
}

/** Those who are let in, but not to what is Ada's. */
function strangers() {
  const { clients, drives } = stage.world;
  const { browser } = beginSession(stage.coffer, "bob");
  return {
    otherAgent: { client: clients.otherAgent, drive: drives.otherAgent },
    bob: { client: clients.bob, drive: drives.bob },
    "bob, signed in": { client: browser, drive: drives.bob },
  };
}

test("every route where a thing is named by an identifier is tried", async () => {
  const description = await describedApi();
  const naming = description.operations.filter((operation) => {
    const json = new Map(description.bodySchemas(operation)).get("application/json");
    const names = [...operation.parameters.query, ...Object.keys(json?.["properties"] ?? {})];
    return operation.path.includes("{id}") || names.some((name) => /_ids?$/.test(name));
  });
  // The clients of applications, and their requests, are known by whoever has their address, as a link is. The audit log
  // is for administrators, to whom no name in it is a secret.
  const expected = naming.filter(({ path }) => !/^(\/v0)?\/(oauth\/|audit-events$)/.test(path));
  expect(expected.length).toBeGreaterThan(20);
  const tried = new Set(PLACES.map(([, request]) => routeOf(request)));
  expect([...tried].toSorted()).toEqual(expected.map(({ method, path }) => `${method} ${path}`).toSorted());
});

describe("however another's thing is named, the answer is as for nothing", () => {
  test.each(["otherAgent", "bob", "bob, signed in"] as const)("to %s", async (name) => {
    await expectNothing(strangers()[name], ada);
  });

  test("to a key of another drive of the same owner", async () => {
    const { clients, drives } = stage.world;
    const places = PLACES.filter(([kind]) => kind === "drive" || kind === "file");
    const forms = FORMS.filter(([form]) => !/^an id of a (key|user)/.test(form));
    await expectNothing({ client: clients.adaDrive, drive: drives.ada }, second, places, forms);
  });
});

test("who was let in before is let in nowhere, to their own things least of all", async () => {
  const { id: keyId, key } = await owner.makeKey();
  const { id: session, browser } = beginSession(stage.coffer, "ada");
  const revoked = stage.coffer.client(key);
  for (const client of [revoked, browser])
    expect(await client.status("GET", `/v0/drives/${ada.drive}`)).toBe(200);
  await owner.delete(`/v0/keys/${keyId}`);
  await owner.delete(`/v0/sessions/${session}`);
  await using coffer = await startAppliance();
  const [expired, deleted] = [await provision(coffer), await provision(coffer)];
  await deleted.client.delete(`/v0/drives/${deleted.id}`);
  coffer.clock.advance(365 * 24 * 60 * 60 * 1000);
  const before = everythingIn(stage.coffer.dataDir);
  for (const [name, client, things] of [
    ["a key that was revoked", revoked, ada],
    ["a session that ended", browser, ada],
    ["a key of a drive that expired", expired.client, { ...NOTHING, drive: expired.id }],
    ["a key of a drive that was deleted", deleted.client, { ...NOTHING, drive: deleted.id }],
  ] as const) {
    for (const place of PLACES) {
      const { status } = await ask({ client, drive: things.drive }, place, things[place[0]]);
      expect([name, place[1], status]).toEqual([name, place[1], 401]);
    }
  }
  expect(everythingIn(stage.coffer.dataDir)).toEqual(before);
});

async function pathsOf({ client, id }: OwnDrive, query = ""): Promise<string[]> {
  return (await client.paths(`/v0/files?drive_id=${id}&limit=1000&${query}`)).toSorted();
}

describe("folders whose names begin alike, or are written alike, are apart", () => {
  const PLAIN = ["docs", "docs-secret", "docs.secret", "docs ", "DOCS", "Docs", "STRASSE", "strasse"];
  const WILD = ["docs%2F", "docs%", "docs_", "d_cs", "do%s", "*"];
  const FOREIGN = ["d\u00f3cs", "docs\u0301", "docs\u200b", "\uff44ocs", "stra\u00dfe"];
  const LAST = ["docs\uffff", "docs\u{10ffff}"];
  const NAMES = [...PLAIN, ...WILD, ...FOREIGN, ...LAST].map((name) => name.normalize("NFC"));
  /** Each has a folder of the name of the first, so that a path that is cut short leads somewhere. */
  const PATHS = NAMES.flatMap((name) => [`${name}/a`, `${name}/docs/a`]);

  test.each(someOf(NAMES, 3))("%j", async (name) => {
    const own = await filled(stage, Object.fromEntries(PATHS.map((path) => [path, path])));
    const folder = `${name}/`;
    const below = PATHS.filter((path) => path.startsWith(folder)).toSorted();
    const others = PATHS.filter((path) => !path.startsWith(folder)).toSorted();
    const query = `prefix=${encodeURIComponent(folder)}`;
    expect(await pathsOf(own, query)).toEqual(below);
    for (const search of ["/v0/search?", "/v0/grep?pattern=.&"]) {
      const found = await own.client.paths(`${search}drive_id=${own.id}&${query}`);
      expect(found.toSorted()).toEqual(below);
    }
    // Each content is its file's path.
    const contents = Object.values(await archived(own.client, own.id, folder));
    expect(contents.filter((text) => text !== "").toSorted()).toEqual(below);
    const body = { drive_id: own.id, path: folder };
    await own.client.post("/v0/folders/move", { ...body, destination_path: "moved/" }, 200);
    const moved = below.map((path) => `moved/${path.slice(folder.length)}`);
    expect(await pathsOf(own)).toEqual([...others, ...moved].toSorted());
    await own.client.post("/v0/folders/move", { ...body, path: "moved/", destination_path: folder }, 200);
    await own.client.delete("/v0/folders", { ...body, confirm: true });
    expect(await pathsOf(own)).toEqual(others);
  });

  test("a name in another form of Unicode is the same name", async () => {
    const own = await filled(stage, { "d\u00f3cs/a": "x" });
    expect(await pathsOf(own, `prefix=${encodeURIComponent("do\u0301cs/")}`)).toEqual(["d\u00f3cs/a"]);
    // The sign for kelvin is the letter K.
    expect(await own.client.put(own.id, "\u212a")).toMatchObject({ path: "K" });
  });
});
