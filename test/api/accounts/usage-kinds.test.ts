import { expect, test } from "bun:test";
import { USAGE_DRIVES } from "../../../src/domain/limits.ts";
import type { UsageDrivesRecord, UsageKindRecord } from "../../../src/http/records/usage-schemas.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { accountClient, addAccount, startWithAda } from "../../support/server/accounts.ts";
import { provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";

test("the files of all drives of an account are counted by kind, as often as they are asked for", async () => {
  await using coffer = await startWithAda();
  const ada = await accountClient(coffer, "ada");
  const kinds = async () => (await ada.get<{ data: UsageKindRecord[] }>("/v0/account/usage/kinds")).data;
  expect(await kinds()).toEqual([]);
  const [one, two] = [await ada.makeDrive("One"), await ada.makeDrive("Two")];
  // More of one type than one statement looks at.
  const lines = Array.from({ length: 450 }, (_, n) => JSON.stringify({ path: `${n}.md`, text: "ab" }));
  const headers = { "content-type": "application/jsonl" };
  await ada.json(200, "POST", `/v0/files/batch?drive_id=${one.id}`, { body: lines.join("\n"), headers });
  await ada.put(one.id, "a.txt", "abc");
  await ada.put(one.id, "a.png", "x".repeat(5000));
  await ada.put(two.id, "b.jpg", "x".repeat(1000));
  await ada.put(two.id, "c.json", "{}");
  await ada.put(two.id, "unknown", "x");
  const texts = { kind: "text", files: 451, bytes: 903 } as const;
  expect(await kinds()).toEqual([
    { kind: "image", files: 2, bytes: 6000 },
    texts,
    { kind: "code", files: 1, bytes: 2 },
    { kind: "other", files: 1, bytes: 1 },
  ]);
  await ada.delete(`/v0/drives/${two.id}`);
  const left = [{ kind: "image", files: 1, bytes: 5000 } as const, texts];
  expect(await Promise.all([kinds(), kinds()])).toEqual([left, left]);
});

test("of the server the files of everybody are counted, by kind and by drive, without what others call theirs", async () => {
  await using coffer = await startWithAda();
  addAccount(coffer, "bob");
  const ada = await accountClient(coffer, "ada");
  const bob = await accountClient(coffer, "bob");
  const { browser } = beginSession(coffer, "ada");
  const kinds = async () => (await browser.get<{ data: UsageKindRecord[] }>("/v0/usage/kinds")).data;
  const drives = () => browser.get<UsageDrivesRecord>("/v0/usage/drives");
  expect(await kinds()).toEqual([]);
  expect(await drives()).toEqual({ data: [], others: { drives: 0, files: 0, bytes: 0 } });
  await ada.makeDrive("Empty");
  const { id: own } = await ada.makeDrive("Ada's");
  const { id: secret } = await bob.makeDrive("Bob's secret");
  const { id: shared } = await bob.makeDrive("Shared");
  await bob.post(`/v0/drives/${shared}/members`, { username: "ada", role: "reader" });
  const unclaimed = await provision(coffer);
  await ada.put(own, "a.png", "x".repeat(300));
  await bob.put(secret, "a.png", "x".repeat(400));
  await bob.put(secret, "b.txt", "x");
  await bob.put(shared, "c.txt", "x".repeat(200));
  await unclaimed.client.put(unclaimed.id, "d.txt", "x".repeat(100));
  expect(await kinds()).toEqual([
    { kind: "image", files: 2, bytes: 700 },
    { kind: "text", files: 3, bytes: 301 },
  ]);
  const user_id = expect.any(String);
  expect(await drives()).toEqual({
    data: [
      { drive_id: secret, drive_name: null, user_id, username: "bob", files: 2, bytes: 401 },
      { drive_id: own, drive_name: "Ada's", user_id, username: "ada", files: 1, bytes: 300 },
      { drive_id: shared, drive_name: "Shared", user_id, username: "bob", files: 1, bytes: 200 },
      { drive_id: unclaimed.id, drive_name: null, user_id: null, username: null, files: 1, bytes: 100 },
    ],
    others: { drives: 0, files: 0, bytes: 0 },
  });
  await bob.delete(`/v0/drives/${secret}`);
  expect((await drives()).data[0]?.drive_id).toBe(own);
  expect(await kinds()).toEqual([
    { kind: "image", files: 1, bytes: 300 },
    { kind: "text", files: 2, bytes: 300 },
  ]);
});

test("so many of the largest drives are named, and all others are one sum", async () => {
  await using coffer = await startWithAda();
  const { browser } = beginSession(coffer, "ada");
  // More than one statement reads, of which some are deleted.
  changeDatabase(
    coffer.dataDir,
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 250)
     INSERT INTO drive (id, name, description, created_at, updated_at, deleted_at)
     SELECT n, '', '', 0, 0, iif(n % 10, NULL, 1) FROM n;
     INSERT INTO folder (drive, path, file_count, own_file_count, total_size, created_at)
     SELECT pk, '', 2, 2, id, 0 FROM drive;`,
  );
  const { data, others } = await browser.get<UsageDrivesRecord>("/v0/usage/drives");
  const alive = Array.from({ length: 250 }, (_, n) => 250 - n).filter((n) => n % 10 !== 0);
  expect(data.map(({ bytes }) => bytes)).toEqual(alive.slice(0, USAGE_DRIVES));
  const rest = alive.slice(USAGE_DRIVES);
  const bytes = rest.reduce((sum, n) => sum + n, 0);
  expect(others).toEqual({ drives: rest.length, files: 2 * rest.length, bytes });
});
