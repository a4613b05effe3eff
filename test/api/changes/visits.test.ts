import { expect, test } from "bun:test";
import { NEWS } from "../../../src/domain/limits.ts";
import type { NewsRecord } from "../../../src/http/records/change-schemas.ts";
import { accountClient, addAccount, startWithAda } from "../../support/server/accounts.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";

/** Ada, in a browser and with the key of an agent, and a drive of hers where she has been. */
const it = testWith(async () => {
  const coffer = await startWithAda();
  const ada = beginSession(coffer, "ada").browser;
  const agent = await accountClient(coffer, "ada");
  const { id: drive } = await agent.makeDrive("Notes");
  await agent.put(drive, "before", "x");
  await visit(ada, drive);
  return { coffer, ada, agent, drive, [Symbol.asyncDispose]: () => coffer[Symbol.asyncDispose]() };
});

function visit(person: Client, drive: string): Promise<unknown> {
  return person.json(200, "PUT", `/v0/drives/${drive}/visit`);
}

async function newsOf(person: Client, query = ""): Promise<readonly NewsRecord[]> {
  return (await person.get<{ data: NewsRecord[] }>(`/v0/news${query}`)).data;
}

it("what others did since one was there is news, until one is there again", async ({ ada, agent, drive }) => {
  expect(await newsOf(ada)).toEqual([]);
  await agent.put(drive, "new", "x");
  await agent.send("PUT", `/v0/files?drive_id=${drive}&path=before`, { body: "y" });
  await ada.put(drive, "own", "x");
  const doings = [{ by: { type: "key" }, written: 2, deleted: 0, moved: 0, other: 0 }];
  expect(await newsOf(ada)).toMatchObject([{ drive_id: drive, has_more: false, doings, marked: null }]);
  const marked = [
    { path: "new", new: true },
    { path: "before", new: false },
  ];
  expect(await newsOf(ada, `?drive_id=${drive}`)).toMatchObject([{ doings, marked }]);
  await visit(ada, drive);
  expect(await newsOf(ada)).toEqual([]);
});

it("where one has never been nothing is news", async ({ ada, agent }) => {
  const { id: other } = await agent.makeDrive("Other");
  await agent.put(other, "new", "x");
  expect(await newsOf(ada)).toEqual([]);
});

it("what is not kept, or too much, is said to be more", async ({ coffer, ada, agent, drive }) => {
  await agent.put(drive, "new", "x");
  changeDatabase(coffer.dataDir, "UPDATE drive SET changes_from = (SELECT max(pk) FROM change)");
  expect(await newsOf(ada)).toMatchObject([{ has_more: true, doings: [] }]);
  await visit(ada, drive);
  const files = Array.from({ length: NEWS.each + 1 }, (_, at) =>
    JSON.stringify({ path: `${at}`, text: "x" }),
  );
  for (const some of [files.slice(0, 600), files.slice(600)]) {
    const headers = { "content-type": "application/jsonl" };
    await agent.json(200, "POST", `/v0/files/batch?drive_id=${drive}`, { body: some.join("\n"), headers });
  }
  const [news] = await newsOf(ada);
  expect(news?.has_more).toBe(true);
  expect(news?.doings[0]?.written).toBeGreaterThan(900);
});

it("a visit ends with the membership, with the drive and with the user", async ({ coffer, ada, drive }) => {
  for (const name of ["bob", "carl"]) addAccount(coffer, name);
  const [bob, carl] = [beginSession(coffer, "bob").browser, beginSession(coffer, "carl").browser];
  const visitors = () =>
    rowsIn(
      coffer.dataDir,
      "SELECT u.username FROM drive_visit v JOIN user u ON u.pk = v.user ORDER BY 1",
    ).flat();
  const share = (username: string) =>
    ada.json<{ data: { user_id: string } }>(201, "POST", `/v0/drives/${drive}/members`, {
      body: { username, role: "reader" },
    });
  const { data: member } = await share("bob");
  const { data: user } = await share("carl");
  await visit(bob, drive);
  await visit(carl, (await carl.makeDrive("Given away")).id);
  expect(visitors()).toEqual(["ada", "bob", "carl"]);
  await ada.delete(`/v0/drives/${drive}/members/${member.user_id}`);
  expect(visitors()).toEqual(["ada", "carl"]);
  expect((await bob.send("PUT", `/v0/drives/${drive}/visit`)).status).toBe(404);
  await ada.json(200, "DELETE", `/v0/users/${user.user_id}`, { body: { drives: "give", to: "ada" } });
  expect(visitors()).toEqual(["ada"]);
  await ada.delete(`/v0/drives/${drive}`);
  await coffer.appliance.services.sweep.run();
  expect(visitors()).toEqual([]);
});

test("a reader is told nothing from before they were let in", async () => {
  await using coffer = await startWithAda();
  addAccount(coffer, "bob");
  const agent = await accountClient(coffer, "ada");
  const [ada, bob] = [beginSession(coffer, "ada").browser, beginSession(coffer, "bob").browser];
  const { id: drive } = await agent.makeDrive("Notes");
  await agent.put(drive, "secret", "x");
  await ada.json(201, "POST", `/v0/drives/${drive}/members`, { body: { username: "bob", role: "reader" } });
  changeDatabase(
    coffer.dataDir,
    "INSERT INTO drive_visit SELECT d.pk, u.pk, 0, 0 FROM drive d, user u WHERE u.username = 'bob'",
  );
  expect(JSON.stringify(await newsOf(bob, `?drive_id=${drive}`))).not.toContain("secret");
});
