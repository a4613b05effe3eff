import { beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { archived, filled } from "../../support/samples/archives.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { openStage, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";

const stage = openStage();

/** References to one owner's things, or to nothing of the same forms. */
interface Things {
  readonly drive: string;
  readonly slug: string;
  readonly file: string;
  readonly key: string;
  readonly session: string;
  readonly user: string;
  readonly snapshot: string;
  /** An entry of the trash. */
  readonly trash: string;
  readonly link: string;
  readonly webhook: string;
}
type Kind = keyof Things;

/** A place where a caller names a thing of this kind. */
interface Place {
  readonly kind: Exclude<Kind, "slug">;
  readonly method: string;
  /** With the reference, encoded, in the place of `ID`. `MINE` is a drive of the caller, `ANY` a thing in what is named. */
  readonly path: string;
  readonly body?: (reference: string, mine: string) => Json;
}

const BY_ID: readonly Place[] = [
  { kind: "drive", method: "GET", path: "/v0/drives/ID" },
  { kind: "drive", method: "PATCH", path: "/v0/drives/ID", body: () => ({ description: "mine" }) },
  { kind: "drive", method: "DELETE", path: "/v0/drives/ID" },
  { kind: "drive", method: "GET", path: "/v0/files?drive_id=ID" },
  { kind: "drive", method: "PUT", path: "/v0/files?drive_id=ID&path=planted", body: () => "x" },
  {
    kind: "drive",
    method: "POST",
    path: "/v0/files",
    body: (id) => ({ drive_id: id, filename: "planted", content: "" }),
  },
  {
    kind: "drive",
    method: "POST",
    path: "/v0/upload-links",
    body: (id) => ({ drive_id: id, path: "planted" }),
  },
  { kind: "drive", method: "GET", path: "/v0/search?q=hello&drive_id=ID" },
  { kind: "drive", method: "GET", path: "/v0/grep?pattern=hello&drive_id=ID" },
  { kind: "drive", method: "GET", path: "/v0/archive?drive_id=ID" },
  { kind: "drive", method: "GET", path: "/v0/folders?drive_id=ID" },
  { kind: "drive", method: "POST", path: "/v0/folders", body: (id) => ({ drive_id: id, path: "planted/" }) },
  {
    kind: "drive",
    method: "DELETE",
    path: "/v0/folders",
    body: (id) => ({ drive_id: id, path: "notes/", confirm: true }),
  },
  ...(["move", "copy"] as const).flatMap((how): Place[] => [
    {
      kind: "drive",
      method: "POST",
      path: `/v0/folders/${how}`,
      body: (id, mine) => ({
        drive_id: id,
        path: "notes/",
        destination_path: "stolen/",
        destination_drive_id: mine,
      }),
    },
    {
      kind: "drive",
      method: "POST",
      path: `/v0/folders/${how}`,
      body: (id, mine) => ({
        drive_id: mine,
        path: "notes/",
        destination_path: "planted/",
        destination_drive_id: id,
      }),
    },
    {
      kind: "file",
      method: "POST",
      path: `/v0/files/ID/${how}`,
      body: (_, mine) => ({ destination_path: "stolen", destination_drive_id: mine }),
    },
  ]),
  { kind: "drive", method: "POST", path: "/v0/keys", body: (id) => ({ drive_id: id }) },
  { kind: "file", method: "GET", path: "/v0/files/ID" },
  { kind: "file", method: "PATCH", path: "/v0/files/ID", body: () => ({ tags: ["mine"] }) },
  { kind: "file", method: "DELETE", path: "/v0/files/ID" },
  { kind: "file", method: "POST", path: "/v0/files/bulk-delete", body: (id) => ({ file_ids: [id] }) },
  { kind: "file", method: "GET", path: "/v0/files/ID/download" },
  { kind: "file", method: "GET", path: "/v0/files/ID/text" },
  {
    kind: "file",
    method: "POST",
    path: "/v0/files/ID/edit",
    body: () => ({ op: "append", text: "planted" }),
  },
  { kind: "file", method: "POST", path: "/v0/files/ID/extract" },
  { kind: "file", method: "GET", path: "/v0/files/ID/extract" },
  { kind: "file", method: "POST", path: "/v0/files/ID/presigned-url", body: () => ({}) },
  { kind: "key", method: "GET", path: "/v0/keys/ID" },
  { kind: "key", method: "DELETE", path: "/v0/keys/ID" },
  { kind: "session", method: "DELETE", path: "/v0/sessions/ID" },
  { kind: "user", method: "PATCH", path: "/v0/users/ID", body: () => ({ plan: "team" }) },
  { kind: "drive", method: "GET", path: "/v0/drives/ID/members" },
  {
    kind: "drive",
    method: "POST",
    path: "/v0/drives/ID/members",
    body: () => ({ username: "dan", role: "editor" }),
  },
  { kind: "drive", method: "PATCH", path: "/v0/drives/ID/members/ANY", body: () => ({ role: "editor" }) },
  { kind: "drive", method: "DELETE", path: "/v0/drives/ID/members/ANY" },
  { kind: "drive", method: "POST", path: "/v0/drives/ID/fork", body: () => ({ name: "Stolen" }) },
  {
    kind: "snapshot",
    method: "POST",
    path: "/v0/drives/MINE/fork",
    body: (id) => ({ name: "Stolen", snapshot_id: id }),
  },
  { kind: "drive", method: "GET", path: "/v0/drives/ID/snapshots" },
  { kind: "drive", method: "POST", path: "/v0/drives/ID/snapshots", body: () => ({}) },
  { kind: "snapshot", method: "GET", path: "/v0/drives/MINE/snapshots/ID" },
  { kind: "snapshot", method: "DELETE", path: "/v0/drives/MINE/snapshots/ID" },
  { kind: "snapshot", method: "GET", path: "/v0/drives/MINE/snapshots/ID/compare" },
  { kind: "snapshot", method: "POST", path: "/v0/drives/MINE/snapshots/ID/restore", body: () => ({}) },
  { kind: "drive", method: "GET", path: "/v0/drives/ID/works" },
  { kind: "drive", method: "GET", path: "/v0/drives/ID/works/ANY" },
  { kind: "drive", method: "POST", path: "/v0/drives/ID/works/ANY/cancel" },
  { kind: "file", method: "GET", path: "/v0/files/ID/versions" },
  { kind: "file", method: "GET", path: "/v0/files/ID/versions/1/download" },
  { kind: "file", method: "POST", path: "/v0/files/ID/versions/1/restore" },
  { kind: "file", method: "DELETE", path: "/v0/files/ID/versions/1" },
  { kind: "file", method: "GET", path: "/v0/files/ID/diff" },
  { kind: "drive", method: "GET", path: "/v0/changes?drive_id=ID" },
  { kind: "drive", method: "GET", path: "/v0/trash?drive_id=ID" },
  { kind: "drive", method: "DELETE", path: "/v0/trash", body: (id) => ({ drive_id: id, confirm: true }) },
  { kind: "trash", method: "GET", path: "/v0/trash/ID" },
  { kind: "trash", method: "POST", path: "/v0/trash/ID/restore", body: () => ({}) },
  { kind: "trash", method: "DELETE", path: "/v0/trash/ID" },
  { kind: "drive", method: "GET", path: "/v0/links?drive_id=ID" },
  { kind: "drive", method: "POST", path: "/v0/links", body: (id) => ({ drive_id: id, path: "notes/" }) },
  { kind: "link", method: "DELETE", path: "/v0/links/ID" },
  {
    kind: "drive",
    method: "POST",
    path: "/v0/webhooks",
    body: (id) => ({ drive_id: id, url: "https://example.com/", events: ["*"] }),
  },
  { kind: "drive", method: "GET", path: "/v0/webhooks?drive_id=ID" },
  { kind: "webhook", method: "GET", path: "/v0/webhooks/ID" },
  { kind: "webhook", method: "PATCH", path: "/v0/webhooks/ID", body: () => ({ events: ["*"] }) },
  { kind: "webhook", method: "DELETE", path: "/v0/webhooks/ID" },
  { kind: "webhook", method: "POST", path: "/v0/webhooks/ID/test" },
  { kind: "webhook", method: "GET", path: "/v0/webhooks/ID/deliveries" },
  { kind: "webhook", method: "POST", path: "/v0/webhooks/ID/deliveries/ANY/resend" },
];

/** The same about a file at a path, in the drive that is named. */
const BY_PATH = BY_ID.filter(({ path }) => path.startsWith("/v0/files/ID")).map((place): Place => ({
  ...place,
  kind: "drive",
  path: `${place.path.replace("ID", "by-path")}?path=notes/hello.txt&drive_id=ID`,
}));

const PLACES: readonly Place[] = [...BY_ID, ...BY_PATH];

type Form = readonly [name: string, of: (things: Things, kind: Kind) => string];

/** How somebody may write an identifier, or a slug, so that one reader takes it for another's. */
const FORMS: readonly Form[] = [
  ["as it is", (things, kind) => things[kind]],
  ["in upper case", (things, kind) => things[kind].toUpperCase()],
  ["in braces", (things, kind) => `{${things[kind]}}`],
  ["as a URN", (things, kind) => `urn:uuid:${things[kind]}`],
  ["without hyphens", (things, kind) => things[kind].replaceAll("-", "")],
  ["in quotation marks", (things, kind) => `"${things[kind]}"`],
  ["with a space before", (things, kind) => ` ${things[kind]}`],
  ["with a space behind", (things, kind) => `${things[kind]} `],
  ["with a line behind", (things, kind) => `${things[kind]}\n`],
  ["with a dot behind", (things, kind) => `${things[kind]}.`],
  ["with a NUL behind", (things, kind) => `${things[kind]}\0`],
  ["with a slash behind", (things, kind) => `${things[kind]}/`],
  ["with a slash before", (things, kind) => `/${things[kind]}`],
  ["behind another's and dots", (things, kind) => `none/../${things[kind]}`],
  ["encoded twice", (things, kind) => encodeURIComponent(things[kind].replaceAll("-", "%2d"))],
  ["with an invisible character", (things, kind) => `${things[kind]}\u200b`],
  ["in wide digits", (things, kind) => things[kind].replaceAll("0", "\uff10")],
  ["as a wildcard", (things, kind) => `${things[kind].slice(0, -1)}_`],
  ["as a start and anything", (things, kind) => `${things[kind].slice(0, 8)}%`],
  ["an id of a drive", ({ drive }) => drive],
  ["an id of a file", ({ file }) => file],
  ["an id of a key", ({ key }) => key],
  ["an id of a user", ({ user }) => user],
  ["its slug", ({ slug }) => slug],
  ["its slug in upper case", ({ slug }) => slug.toUpperCase()],
  ["its slug, encoded", ({ slug }) => encodeURIComponent(slug)],
  ["its slug, encoded twice", ({ slug }) => encodeURIComponent(encodeURIComponent(slug))],
  ["its slug with two slashes", ({ slug }) => slug.replace("/", "//")],
  ["its slug with a slash before", ({ slug }) => `/${slug}`],
  ["its slug with a slash behind", ({ slug }) => `${slug}/`],
  ["its slug with a space behind", ({ slug }) => `${slug} `],
  ["its slug with dots", ({ slug }) => slug.replace("/", "/./")],
  ["its slug with a wide slash", ({ slug }) => slug.replace("/", "\uff0f")],
  ["its slug with an accent", ({ slug }) => slug.replace("o", "o\u0301")],
  ["its slug as a wildcard", ({ slug }) => slug.replace("o", "_")],
];

interface Caller {
  readonly client: { send(method: string, path: string, options?: RequestOptions): Promise<Answer> };
  /** A drive of their own, with a folder `notes/`. */
  readonly drive: string;
}

const NOTHING: Things = {
  drive: "01976f5e-5d7a-7000-8000-3c5d1a2b4e60",
  slug: "ana/notos",
  file: "01976f5e-5d7a-7000-8000-3c5d1a2b4e61",
  key: "01976f5e-5d7a-7000-8000-3c5d1a2b4e62",
  session: "01976f5e-5d7a-7000-8000-3c5d1a2b4e63",
  user: "01976f5e-5d7a-7000-8000-3c5d1a2b4e64",
  snapshot: "01976f5e-5d7a-7000-8000-3c5d1a2b4e65",
  trash: "01976f5e-5d7a-7000-8000-3c5d1a2b4e66",
  link: "01976f5e-5d7a-7000-8000-3c5d1a2b4e67",
  webhook: "01976f5e-5d7a-7000-8000-3c5d1a2b4e68",
};

let ada: Things;
/** Ada's second drive, which a key of her first one does not reach. */
let second: Things;

beforeAll(async () => {
  const { world, coffer } = stage;
  const { clients, drives } = world;
  const snapshots = `/v0/drives/${drives.ada}/snapshots`;
  const gone = `drive_id=${drives.ada}&path=gone.txt`;
  await clients.ada.json(201, "PUT", `/v0/files?${gone}`, { body: "x" });
  const entry = await clients.ada.delete<{ trash_id: string }>(`/v0/files/by-path?${gone}`);
  const make = (path: string, body: Json) => clients.ada.post<{ id: string }>(path, body);
  const link = await make("/v0/links", { drive_id: drives.ada, path: "notes/" });
  const webhook = await make("/v0/webhooks", {
    drive_id: drives.ada,
    url: "https://example.com/",
    events: ["link.created"],
  });
  const account = await clients.ada.get<{ data: { id: string } }>("/v0/account");
  ada = {
    drive: world.drives.ada,
    slug: "ada/notes",
    file: world.files.ada,
    key: world.keyIds.ada,
    session: beginSession(coffer, "ada").id,
    user: account.data.id,
    snapshot: (await clients.ada.post<{ data: { id: string } }>(snapshots)).data.id,
    trash: entry.trash_id,
    link: link.id,
    webhook: webhook.id,
  };
  const made = await clients.ada.post<{ data: { id: string; slug: string } }>("/v0/drives", {
    name: "Second",
  });
  const target = `/v0/files?drive_id=${made.data.id}&path=notes/hello.txt`;
  const file = await clients.ada.json<{ id: string }>(201, "PUT", target, { body: "hello" });
  second = { ...ada, drive: made.data.id, slug: made.data.slug, file: file.id };
});

/** The answer without what differs from request to request, and with the same word for each reference. */
function shownOf({ status, text }: Answer, reference: string): unknown {
  const same = text.replaceAll(/"request_id":"[^"]*"/g, "").replaceAll(JSON.stringify(reference), "REF");
  return { status, text: same };
}

function ask(caller: Caller, { method, path, body }: Place, reference: string): Promise<Answer> {
  const target = path
    .replace("ID", encodeURIComponent(reference))
    .replace("MINE", caller.drive)
    .replace("ANY", ada.user);
  return caller.client.send(
    method,
    target,
    body === undefined ? {} : { body: body(reference, caller.drive) },
  );
}

/** All that Ada has. */
async function snapshot(): Promise<unknown> {
  const { ada: client } = stage.world.clients;
  const keys = await client.get<{ id: string; scope: string }[]>("/v0/keys");
  return [
    await client.get<unknown>("/v0/drives"),
    await client.get<unknown>(`/v0/files?drive_id=${ada.drive}`),
    await client.get<unknown>(`/v0/files?drive_id=${second.drive}`),
    await client.get<unknown>("/v0/sessions"),
    await client.get<unknown>("/v0/account"),
    await client.get<unknown>(`/v0/drives/${ada.drive}/snapshots`),
    await client.get<unknown>(`/v0/drives/${ada.drive}/members`),
    await client.get<unknown>(`/v0/trash?drive_id=${ada.drive}`),
    await client.get<unknown>(`/v0/links?drive_id=${ada.drive}`),
    await client.get<unknown>("/v0/webhooks"),
    keys.map(({ id, scope }) => [id, scope]),
  ];
}

/** All places and forms, for one caller: each is answered like what never was, and Ada keeps what she has. */
async function expectNothing(caller: Caller, things: Things, places = PLACES, forms = FORMS): Promise<void> {
  const before = await snapshot();
  for (const place of places) {
    const answers = await Promise.all(
      forms.map(async ([form, of]) => {
        const kind = form.startsWith("its slug") ? "slug" : place.kind;
        const [theirs, nobodys] = [of(things, kind), of(NOTHING, kind)];
        const what = `${place.method} ${place.path}, ${form}`;
        const [answer, expected] = [await ask(caller, place, theirs), await ask(caller, place, nobodys)];
        // A list of ids is answered for each of them.
        const refusals = place.path.endsWith("/bulk-delete") ? [200, 403] : [403, 404];
        if (form === "as it is") expect([what, refusals.includes(answer.status)]).toEqual([what, true]);
        return [
          [what, shownOf(answer, theirs)],
          [what, shownOf(expected, nobodys)],
        ] as const;
      }),
    );
    for (const [theirs, nobodys] of answers) expect(theirs).toEqual(nobodys);
  }
  expect(await snapshot()).toEqual(before);
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

interface Described {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { readonly properties?: object } }>;
  };
}

/** Their clients, and the requests of these, are known by whoever has their address, as a link is. */
const OF_APPLICATIONS = /^(\/v0)?\/oauth\//;

/** The names of what a caller sends to an operation. */
function namesIn({ parameters = [], requestBody }: Described): string[] {
  const body = requestBody?.content["application/json"]?.schema.properties ?? {};
  return [...parameters.map(({ name }) => name), ...Object.keys(body)];
}

test("every route where a thing is named by an identifier is tried", async () => {
  const { paths } = await stage.coffer
    .client()
    .get<{ paths: Record<string, Record<string, Described>> }>("/docs/openapi.json");
  const naming = Object.entries(paths)
    .filter(([path]) => !OF_APPLICATIONS.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(
          ([, operation]) => path.includes("{id}") || namesIn(operation).some((name) => /_ids?$/.test(name)),
        )
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
  // What is named beside a drive, and what is in a thing that is named.
  const names = [
    [/\?.*/, ""],
    ["drives/MINE/snapshots/ID", "drives/{id}/snapshots/{sid}"],
    ["MINE", "{id}"],
    ["ID", "{id}"],
    ["members/ANY", "members/{user_id}"],
    ["works/ANY", "works/{wid}"],
    ["ANY", "{did}"],
    ["versions/1", "versions/{n}"],
  ] as const;
  const tried = PLACES.map(({ method, path }) => {
    const route = names.reduce((text, [from, to]) => text.replace(from, to), path);
    return `${method} ${route}`;
  });
  expect(naming.length).toBeGreaterThan(20);
  expect([...new Set(tried)].toSorted()).toEqual(naming.toSorted());
});

describe("however another's thing is named, the answer is as for nothing", () => {
  test.each(["otherAgent", "bob", "bob, signed in"] as const)("to %s", async (name) => {
    await expectNothing(strangers()[name], ada);
  });

  test("to a key of another drive of the same owner", async () => {
    const { clients, drives } = stage.world;
    const places = PLACES.filter(({ kind }) => kind === "drive" || kind === "file");
    const forms = FORMS.filter(([form]) => !/^an id of a (key|user)/.test(form));
    await expectNothing({ client: clients.adaDrive, drive: drives.ada }, second, places, forms);
  });
});

/** Each place, with what is theirs: 401, as for nobody. */
async function expectNobody(caller: Caller, things: Things): Promise<void> {
  for (const place of PLACES) {
    const { status } = await ask(caller, place, things[place.kind]);
    expect([place.method, place.path, status]).toEqual([place.method, place.path, 401]);
  }
}

describe("who was let in before is let in nowhere, to their own things least of all", () => {
  test("a key that was revoked", async () => {
    const { id: keyId, key } = await stage.world.clients.ada.makeKey();
    const client = stage.coffer.client(key);
    expect((await client.send("GET", `/v0/drives/${ada.drive}`)).status).toBe(200);
    await stage.world.clients.ada.delete(`/v0/keys/${keyId}`);
    const before = await snapshot();
    await expectNobody({ client, drive: ada.drive }, ada);
    expect(await snapshot()).toEqual(before);
  });

  test("a session that ended", async () => {
    const { id, browser } = beginSession(stage.coffer, "ada");
    expect((await browser.send("GET", `/v0/drives/${ada.drive}`)).status).toBe(200);
    await stage.world.clients.ada.delete(`/v0/sessions/${id}`);
    const before = await snapshot();
    await expectNobody({ client: browser, drive: ada.drive }, ada);
    expect(await snapshot()).toEqual(before);
  });

  test("a key of a drive that expired, and of one that was deleted", async () => {
    await using coffer = await startAppliance();
    const [expired, deleted] = [await provision(coffer), await provision(coffer)];
    await deleted.client.delete(`/v0/drives/${deleted.id}`);
    coffer.clock.advance(365 * 24 * 60 * 60 * 1000);
    for (const { client, id } of [expired, deleted]) {
      await expectNobody({ client, drive: id }, { ...NOTHING, drive: id });
    }
  });
});

async function pathsOf({ client, id }: OwnDrive, query = ""): Promise<string[]> {
  const list = `/v0/files?drive_id=${id}&limit=1000&${query}`;
  const { data } = await client.get<{ data: { path: string }[] }>(list);
  return data.map(({ path }) => path).toSorted();
}

describe("folders whose names begin alike, or are written alike, are apart", () => {
  const NAMES = [
    "docs",
    "docs-secret",
    "docs.secret",
    "docs ",
    "docs%2F",
    "docs%",
    "docs_",
    "d_cs",
    "do%s",
    "*",
    "DOCS",
    "Docs",
    "d\u00f3cs",
    "docs\u0301",
    "docs\u200b",
    "\uff44ocs",
    "stra\u00dfe",
    "STRASSE",
    "strasse",
    "docs\uffff",
    "docs\u{10ffff}",
  ].map((name) => name.normalize("NFC"));
  /** Each has a folder of the name of the first, so that a path that is cut short leads somewhere. */
  const PATHS = NAMES.flatMap((name) => [`${name}/a`, `${name}/docs/a`]);

  test.each(NAMES)("%j", async (name) => {
    const own = await filled(stage, Object.fromEntries(PATHS.map((path) => [path, path])));
    const folder = `${name}/`;
    const below = PATHS.filter((path) => path.startsWith(folder)).toSorted();
    const others = PATHS.filter((path) => !path.startsWith(folder)).toSorted();
    const query = `prefix=${encodeURIComponent(folder)}`;
    expect(await pathsOf(own, query)).toEqual(below);
    for (const search of ["/v0/search?", "/v0/grep?pattern=.&"]) {
      const found = await own.client.get<{ data: { path: string }[] }>(
        `${search}drive_id=${own.id}&${query}`,
      );
      expect(found.data.map(({ path }) => path).toSorted()).toEqual(below);
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
    const again = await own.client.send(
      "PUT",
      `/v0/files?drive_id=${own.id}&path=${encodeURIComponent("\u212a")}`,
      { body: "x" },
    );
    expect(JSON.parse(again.text)).toMatchObject({ path: "K" });
  });
});
