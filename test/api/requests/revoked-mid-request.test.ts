import { expect, test } from "bun:test";
import { everythingIn, rowsIn } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { type HeldRequest, holdRequest, idempotencyKey } from "../../support/server/held-request.ts";
import { openStageNow } from "../../support/server/scenario.ts";
import { describedApi, operationOf, requestOf, ROUTES, type RouteRow } from "../../support/server/routes.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { makeTarget } from "../../support/server/targets.ts";
import { callerWith } from "../../support/server/services-drive.ts";

// The gate lets a caller in before the request's body is read, and a client may take as long over the body as
// it likes. Who is revoked, signed out or disabled meanwhile must not act any more.

const stage = await openStageNow();

/** Begins a request, which was let in. */
function begin(sender: Client, row: RouteRow): Promise<HeldRequest> {
  const [method, path, { body = {}, headers }] = requestOf(row, named);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const parts = [text.slice(0, 1), text.slice(1)] as const;
  return holdRequest(sender, [method, path], parts, { ...idempotencyKey(), ...headers });
}

/** What a request that was let in, and then no more, is answered; it changes nothing. */
async function expectNothing(...begun: HeldRequest[]): Promise<void> {
  const before = everythingIn(stage.coffer.dataDir);
  const answers = await Promise.all(begun.map((each) => each.complete()));
  for (const { status } of answers) expect(status).toBe(401);
  expect(everythingIn(stage.coffer.dataDir)).toEqual(before);
}

const description = await describedApi();

/** They change nothing, or their body is the content: see sessions.test.ts. */
const OTHERS = ["readFiles", "putFile"];

/** Every write that takes a JSON body and needs a key or a session, by its operationId. */
const TAKING = description.operations.flatMap((operation) => {
  const { id, path, hasBody, isGuarded } = operation;
  if (!path.startsWith("/v0/") || !hasBody || !isGuarded || OTHERS.includes(id)) return [];
  const row = ROUTES.find(([request]) => operationOf(description, request) === operation);
  if (row === undefined) throw new Error(`nothing in ROUTES is about ${id}`);
  return [[id, row] as const];
});
const { coffer, world } = stage;
const place = { coffer, world, client: world.clients.ada, drive: world.drives.ada, path: "notes/late.txt" };
/** What these name. */
const named = await makeTarget(place, JSON.stringify(TAKING));
/** Those that Ada's key sends; others are sent by somebody who is signed in alone. */
const WRITES = TAKING.filter(([, [, , more]]) => more?.by === undefined);
const NEW_KEY: RouteRow = ["POST /v0/keys", 201];

test.each(WRITES)("%s, whose body comes after its key was revoked, changes nothing", async (_, request) => {
  const { secret, key } = await stage.coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
  const begun = await begin(stage.coffer.client(secret), request);
  await stage.world.clients.ada.delete(`/v0/keys/${key.id}`);
  await expectNothing(begun);
});

test.each(TAKING.filter(([id]) => !id.endsWith("ByPath")))(
  "%s, whose body comes after its session ended, changes nothing",
  async (_, request) => {
    const { browser } = beginSession(stage.coffer, "ada");
    const begun = await begin(browser, request);
    expect(await browser.status("POST", "/auth/logout")).toBe(200);
    await expectNothing(begun);
  },
);

const ENDS: readonly [how: string, end: (session: string) => Promise<unknown>][] = [
  ["signed out there", (session) => stage.world.clients.ada.delete(`/v0/sessions/${session}`)],
  ["signed out everywhere", () => stage.world.clients.ada.delete("/v0/sessions")],
  [
    "given another password",
    () => stage.coffer.appliance.services.users.resetPassword("ada", "another password"),
  ],
];

test.each(ENDS)("a key asked for by a session that was %s is not made", async (_, end) => {
  const { id, browser } = beginSession(stage.coffer, "ada");
  const begun = await begin(browser, NEW_KEY);
  await end(id);
  await expectNothing(begun);
});

test("a key asked for with a drive's key is not made once the drive is deleted", async () => {
  const { client, id } = await stage.ownDrive();
  const begun = await begin(client, NEW_KEY);
  await client.delete(`/v0/drives/${id}`);
  await expectNothing(begun);
});

test("a disabled user's request that was on its way changes nothing", async () => {
  const begun = [
    await begin(stage.world.clients.bob, NEW_KEY),
    await begin(beginSession(stage.coffer, "bob").browser, NEW_KEY),
  ];
  const { browser: admin } = beginSession(stage.coffer, "ada");
  const [[id] = []] = rowsIn(stage.coffer.dataDir, "SELECT id FROM user WHERE username = 'bob'");
  expect(await admin.status("PATCH", `/v0/users/${String(id)}`, { body: { disabled: true } })).toBe(200);
  await expectNothing(...begun);
});

test("a report of use by a drive's key is refused once the drive is deleted", async () => {
  const own = await stage.ownDrive();
  const { apiKeys, drives, usage } = stage.coffer.appliance.services;
  const caller = callerWith({ apiKeys }, own.key);
  // The report waits for the counts to be written, and they are written in one transaction with the deletion.
  const report = usage.report(caller).catch((error: unknown) => error);
  await drives.remove(caller, own.id);
  expect(await report).toMatchObject({ code: "UNAUTHORIZED" });
});
