import { expect, test } from "bun:test";
import type { UsageKindRecord } from "../../../src/http/records/usage-schemas.ts";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";

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
