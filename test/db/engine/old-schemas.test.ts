import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { MIGRATIONS } from "../../../src/db/engine/migrations.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Json } from "../../support/server/client.ts";
import { makeOldStore, OLD_CONTENTS, type OldStore, oldVersions } from "../../support/faults/old-stores.ts";
import { OAuthTestClient, tokensIn } from "../../support/peers/oauth.ts";
import { browserWith, isSignedIn, signIn } from "../../support/server/sign-in.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { verified } from "../../support/faults/verified.ts";

const NEWEST = MIGRATIONS.length;

/** The tables whose rows nothing but a request changes. */
const KEPT = (
  "user drive api_key claim_token blob folder file file_tag identity session presigned_link idempotency_record " +
  "drive_usage account_usage known_client small_content backup_success damaged_content oauth_client oauth_grant"
).split(" ");

type Rows = ReadonlyMap<string, readonly object[]>;

/** The rows of these tables, each as a set of columns. */
function rowsOf(path: string): Rows {
  using sql = new Sqlite(path, { readonly: true });
  const tables = sql.query("SELECT name FROM sqlite_schema WHERE type = 'table'").values().flat();
  const present = KEPT.filter((table) => tables.includes(table));
  return new Map(
    present.map((table) => {
      const rows = sql.query<object, []>(`SELECT * FROM ${table}`).all();
      return [table, rows.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))];
    }),
  );
}

/** What names a row: its first columns. */
function nameOf(row: object): string {
  return JSON.stringify(Object.values(row).slice(0, 3));
}

/** Of a damaged content: which file it is on this disk. The slow check soon writes it anew. */
const ON_THIS_DISK = "state";

/** What is different, leaving out columns that are new or gone. */
function expectKept(before: Rows, after: Rows): void {
  for (const [table, rows] of before) {
    const columns = Object.keys(after.get(table)?.[0] ?? {});
    const known = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(([name]) => columns.includes(name) && name !== ON_THIS_DISK),
      ),
    );
    expect([table, after.get(table)]).toEqual([table, known.map((row) => expect.objectContaining(row))]);
  }
}

type Opened = Awaited<ReturnType<typeof openOld>>;

async function openOld(version: number) {
  const made = Promise.withResolvers<{ old: OldStore; before: Rows }>();
  const prepare = async (dataDir: string) => {
    const old = await makeOldStore(version, dataDir);
    made.resolve({ old, before: rowsOf(join(dataDir, "coffer.db")) });
    return old.at + 1000;
  };
  const coffer = await startAppliance({}, { prepare });
  return { coffer, ...(await made.promise) };
}

/** The first version that knows damaged contents. */
const ROTTEN_FROM = 19;

/** The files of Ada's drive, by path. */
function filesOf(version: number): Record<string, string> {
  const { again, letter, cat, plan, empty, rotten } = OLD_CONTENTS;
  return {
    "copies/plan.md": plan,
    "empty.txt": empty,
    "notes/deep/letter.txt": letter,
    "notes/hello.txt": again,
    "tagged/plan.md": plan,
    "日本/猫.txt": cat,
    ...(version >= ROTTEN_FROM ? { "rotten.txt": rotten } : {}),
  };
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly path: string }[];
}

async function expectFiles(
  { coffer }: Opened,
  key: string,
  drive: string,
  files: Record<string, string>,
): Promise<void> {
  const client = coffer.client(key);
  const { data } = await client.get<Listed>(`/v0/files?drive_id=${drive}&limit=1000`);
  const found: Record<string, string> = {};
  for (const { id, path } of data) {
    const answer = await client.send("GET", `/v0/files/${id}/download`);
    found[path] = answer.status === 200 ? answer.text : `${answer.status} ${answer.text}`;
  }
  expect(found).toEqual(files);
}

async function expectFound({ coffer, old }: Opened, query: string, paths: readonly string[]): Promise<void> {
  const { data } = await coffer.client(old.key).get<Listed>(`/v0/search?drive_id=${old.drive}&${query}`);
  expect([query, data.map(({ path }) => path).toSorted()]).toEqual([query, paths.toSorted()]);
}

/** Each key, session and link reaches what it did, and no more. */
async function expectReach({ coffer, old }: Opened): Promise<void> {
  const { drive, claimed, session, link, usedLink } = old;
  const asked: [by: string | undefined, request: string, status: number, body?: Json][] = [
    [old.key, "GET /v0/account", 200],
    [old.readOnlyKey, "GET /v0/account", 200],
    [old.readOnlyKey, "POST /v0/drives", 403, { name: "Not mine" }],
    [old.revokedKey, "GET /v0/account", 401],
    [old.driveKey, `GET /v0/drives/${drive}`, 200],
    [old.driveKey, "GET /v0/account", 403],
    [old.unclaimed.key, `GET /v0/drives/${drive}`, 404],
  ];
  if (claimed !== undefined) asked.push([claimed.key, `GET /v0/drives/${claimed.drive}`, 200]);
  if (usedLink !== undefined) asked.push([undefined, `GET /v0/presigned/${usedLink}`, 410]);
  for (const [by, request, status, body] of asked) {
    const [method = "", path = ""] = request.split(" ");
    const answer = await coffer.client(by).send(method, path, body === undefined ? {} : { body });
    expect([by, request, answer.status]).toEqual([by, request, status]);
  }
  if (session !== undefined) expect(await isSignedIn(browserWith(coffer, session))).toBe(true);
  if (link === undefined) return;
  const letter = await coffer.client().send("GET", `/v0/presigned/${link}`);
  expect([letter.status, letter.text]).toEqual([200, OLD_CONTENTS.letter]);
}

/** An application that was let in is still, and can have new tokens, once more with the same one after a lost answer. */
async function expectApp({ coffer, old: { app } }: Opened): Promise<void> {
  if (app === undefined) return;
  const accountOf = (token: string) => coffer.client(token).get<object>("/v0/account");
  expect(await accountOf(app.accessToken)).toMatchObject({ data: { username: "ada" } });
  const client = new OAuthTestClient(coffer, app.clientId);
  const next = tokensIn(await client.refresh(app.refreshToken));
  expect(tokensIn(await client.refresh(app.refreshToken)).access_token).toBe(next.access_token);
  expect(await accountOf(next.access_token)).toMatchObject({ data: { username: "ada" } });
  expect(await coffer.client(app.accessToken).status("GET", "/v0/account")).toBe(401);
  // The client itself is known, too: it need not register anew.
  expect(await client.begin()).not.toBe("");
}

async function expectReplay({ coffer, old: { once, key, drive } }: Opened): Promise<void> {
  if (once !== true) return;
  const answer = await coffer.client(key).send("POST", "/v0/folders", {
    body: { drive_id: drive, path: "once/" },
    headers: { "idempotency-key": "an old request" },
  });
  expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
}

/** The first store that keeps a content that a file had, and the first that knows where it was made. */
const VERSIONS = {
  from: 29,
  placedFrom: MIGRATIONS.findIndex(({ name }) => name === "makers-versions-works") + 1,
};

/** What is kept of a file is there still, also to keys of its folder if it is known that it was made in there. */
async function expectVersions({ coffer, old }: Opened, version: number): Promise<void> {
  if (version < VERSIONS.from) return;
  const owner = coffer.client(old.key);
  const body = { drive_id: old.drive, path_prefix: "notes/" };
  const { key } = await owner.makeKey(body);
  const address = `/v0/files/by-path/versions?drive_id=${old.drive}&path=notes/hello.txt`;
  expect(await owner.get<object>(address)).toMatchObject({ total: 1 });
  const total = version < VERSIONS.placedFrom ? 0 : 1;
  expect(await coffer.client(key).get<object>(address)).toMatchObject({ total });
}

/** The copy from before the upgrade is whole, and of that version. */
async function expectCopy({ coffer, before }: Opened, version: number): Promise<void> {
  const folder = join(coffer.dataDir, "before-upgrade");
  expect(await readdir(folder)).toEqual([`schema-${version}.db`]);
  const copy = join(folder, `schema-${version}.db`);
  using sql = new Sqlite(copy, { readonly: true });
  expect(sql.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  expect(sql.query("SELECT max(version) FROM schema_migration").values()).toEqual([[version]]);
  expect(rowsOf(copy)).toEqual(before);
  expect(coffer.lines.filter((line) => line.includes("copying the database before it is upgraded"))).toEqual([
    expect.stringContaining(`"from":${version},"to":${NEWEST},"copy":${JSON.stringify(copy)}`),
  ]);
}

const versions = await oldVersions();

test("there is a store of every version of the schema before the newest", () => {
  expect(versions).toEqual(MIGRATIONS.slice(0, versions.length).map(({ version }) => version));
  expect(versions.length).toBeGreaterThanOrEqual(NEWEST - 1);
});

/** Mostly the oldest, and the last ones, which servers still have, are enough. */
const tried = isThorough() ? versions : [...versions.slice(0, 1), ...versions.slice(-4)];

test.each(tried)(
  "a store with version %i of the schema is upgraded, and nothing of it is lost",
  async (version) => {
    const opened = await openOld(version);
    await using coffer = opened.coffer;
    const { old, before } = opened;
    expectKept(before, rowsOf(join(coffer.dataDir, "coffer.db")));
    if (version < NEWEST) await expectCopy(opened, version);
    else expect(await readdir(coffer.dataDir)).not.toContain("before-upgrade");
    await expectReach(opened);
    // To hash it takes long.
    if (version === 1) expect(await isSignedIn(await signIn(coffer, "ada"))).toBe(true);
    await expectApp(opened);
    await expectReplay(opened);
    if (version >= ROTTEN_FROM) {
      // A damaged content is still known as such, until the same bytes come again.
      expect(await verified(coffer.dataDir)).toEqual([expect.stringMatching(/^content-.*rotten\.txt/)]);
      await coffer.client(old.key).put(old.drive, "rotten.txt", OLD_CONTENTS.rotten, 200);
    }
    await expectFiles(opened, old.key, old.drive, filesOf(version));
    await expectFiles(opened, old.unclaimed.key, old.unclaimed.drive, { "draft.txt": OLD_CONTENTS.hello });
    await expectVersions(opened, version);
    const claim = { token: old.unclaimed.claim };
    const claimed = await coffer.client(old.key).post<object>("/v0/drives/claim", claim, 200);
    expect(claimed).toMatchObject({ data: { id: old.unclaimed.drive } });
    await expectFound(opened, "q=pangolin", ["notes/deep/letter.txt"]);
    await expectFound(opened, "q=axol", ["copies/plan.md", "tagged/plan.md"]);
    await expectFound(opened, "q=zebra", []);
    await expectFound(opened, `q=${encodeURIComponent("猫")}`, ["日本/猫.txt"]);
    await expectFound(opened, "tags=red,blue", ["copies/plan.md", "tagged/plan.md"]);
    expect(await verified(coffer.dataDir)).toEqual([]);
  },
);
