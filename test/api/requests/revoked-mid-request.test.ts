import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { type HeldRequest, holdRequest } from "../../support/server/held-request.ts";
import { fill, fillJson, provision } from "../../support/server/scenario.ts";
import { describedApi, operationOf, ROUTES, type RouteRow } from "../../support/server/routes.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { makeTarget, type Named } from "../../support/server/targets.ts";
import { populate, type World } from "../../support/server/world.ts";
import { callerWith } from "../../support/server/services-drive.ts";

// The gate lets a caller in before the request's body is read, and a client may take as long over the body as
// it likes. Who is revoked, signed out or disabled meanwhile must not act any more.

let coffer: TestAppliance;
let world: World;
/** What the writes below name. */
let named: Named;

beforeAll(async () => {
  coffer = await startAppliance();
  world = await populate(coffer);
  const client = world.clients.ada;
  const place = { client, drive: world.drives.ada, path: "notes/late.txt" };
  named = await makeTarget({ coffer, world, ...place }, JSON.stringify([...WRITES, ...SIGNED_IN]));
});
afterAll(() => coffer[Symbol.asyncDispose]());

/** Begins a request, which was let in. */
function begin(sender: Client, [request, , { body = {} } = {}]: RouteRow): Promise<HeldRequest> {
  const [method = "", path = ""] = fill(request, named).split(" ");
  const text = JSON.stringify(fillJson(body, named));
  return holdRequest(sender, [method, path], [text.slice(0, 1), text.slice(1)]);
}

const description = await describedApi();

/** Every write that takes a JSON body and needs a key or a session, by its operationId. */
const TAKING = new Map(
  ROUTES.toReversed().flatMap((row) => {
    const { id, hasBody, isGuarded } = operationOf(description, row[0]);
    // The body of one is the content: see sessions.test.ts.
    return hasBody && isGuarded && id !== "putFile" ? [[id, row]] : [];
  }),
);
/** Those that somebody who is signed in sends alone, and those that Ada's key sends as well. */
const SIGNED_IN = [...TAKING].filter(([, [, , more]]) => more?.by === "session");
const WRITES = [...TAKING].filter(([, [, , more]]) => more?.by === undefined);
const NEW_KEY: RouteRow = ["POST /v0/keys", 201];

function idOf(username: string): string {
  using sql = open();
  return (
    sql.query<{ id: string }, [string]>("SELECT id FROM user WHERE username = ?").get(username)?.id ?? ""
  );
}

function open(): Database {
  const sql = new Database(join(coffer.dataDir, "coffer.db"));
  sql.run("PRAGMA busy_timeout = 10000");
  return sql;
}

/** Everything that a write could have changed. */
function everything(): unknown {
  using sql = open();
  const tables = [
    "user",
    "drive",
    "drive_member",
    "folder",
    "file",
    "file_version",
    "trash",
    "trash_file",
    "snapshot",
    "webhook",
    "api_key",
    "presigned_link",
    "share_link",
    "upload_link",
    "claim_token",
    "oauth_grant",
  ];
  return tables.map((table) => sql.query(`SELECT * FROM ${table} ORDER BY 1`).all());
}

test("every write that takes a JSON body is tried below", () => {
  const taking = description.operations
    .filter(({ path, hasBody, isGuarded }) => path.startsWith("/v0/") && hasBody && isGuarded)
    .map(({ id }) => id)
    .filter((id) => id !== "putFile");
  expect([...WRITES, ...SIGNED_IN].map(([id]) => id).toSorted()).toEqual(taking.toSorted());
});

describe("a request whose body comes after its key was revoked changes nothing", () => {
  test.each(WRITES)("%s", async (_, request) => {
    const { secret, key } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
    const begun = await begin(coffer.client(secret), request);
    await world.clients.ada.delete(`/v0/keys/${key.id}`);
    const before = everything();
    expect((await begun.complete()).status).toBe(401);
    expect(everything()).toEqual(before);
  });
});

describe("a request whose body comes after its session ended changes nothing", () => {
  test.each([...WRITES.filter(([id]) => !id.endsWith("ByPath")), ...SIGNED_IN])("%s", async (_, request) => {
    const { browser } = beginSession(coffer, "ada");
    const begun = await begin(browser, request);
    expect((await browser.send("POST", "/auth/logout")).status).toBe(200);
    const before = everything();
    expect((await begun.complete()).status).toBe(401);
    expect(everything()).toEqual(before);
  });
});

const ENDS: readonly [how: string, end: (session: string) => Promise<unknown>][] = [
  ["signed out there", (session) => world.clients.ada.delete(`/v0/sessions/${session}`)],
  ["signed out everywhere", () => world.clients.ada.delete("/v0/sessions")],
  ["given another password", () => coffer.appliance.services.users.resetPassword("ada", "another password")],
];

test.each(ENDS)("a key asked for by a session that was %s is not made", async (_, end) => {
  const { id, browser } = beginSession(coffer, "ada");
  const begun = await begin(browser, NEW_KEY);
  await end(id);
  expect((await begun.complete()).status).toBe(401);
});

test("a key asked for with a drive's key is not made once the drive is deleted", async () => {
  const { client, id } = await provision(coffer);
  const begun = await begin(client, NEW_KEY);
  await client.delete(`/v0/drives/${id}`);
  expect((await begun.complete()).status).toBe(401);
});

test("a disabled user's request that was on its way changes nothing", async () => {
  const begun = [
    await begin(world.clients.bob, NEW_KEY),
    await begin(beginSession(coffer, "bob").browser, NEW_KEY),
  ];
  const { browser: admin } = beginSession(coffer, "ada");
  const disabled = await admin.send("PATCH", `/v0/users/${idOf("bob")}`, { body: { disabled: true } });
  expect(disabled.status).toBe(200);
  const before = everything();
  const answers = await Promise.all(begun.map((each) => each.complete()));
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  expect(everything()).toEqual(before);
});

test("a report of use by a drive's key is refused once the drive is deleted", async () => {
  const own = await provision(coffer);
  const { apiKeys, drives, usage } = coffer.appliance.services;
  const caller = callerWith({ apiKeys }, own.key);
  // The report waits for the counts to be written, and they are written in one transaction with the deletion.
  const report = usage.report(caller).catch((error: unknown) => error);
  await drives.remove(caller, own.id);
  expect(await report).toMatchObject({ code: "UNAUTHORIZED" });
});
