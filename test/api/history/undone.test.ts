import { expect, test } from "bun:test";
import { archived } from "../../support/samples/archives.ts";
import type { Client } from "../../support/server/client.ts";
import { openStage } from "../../support/server/scenario.ts";
import { takeSnapshot } from "../../support/server/targets.ts";

const stage = openStage();

const FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "notes/plan.md": new TextEncoder().encode("# A plan\n\nWrite the report.\n"),
  "notes/2030/budget.csv": new TextEncoder().encode("what,how much\npaper,12\n"),
  "data/photo.bin": Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 256),
  "data/deep/er/small.bin": Uint8Array.from([0, 255, 13, 10, 0]),
  "empty.txt": new Uint8Array(0),
};

/** Every file of a drive with its record, its hash and its content, and every folder. */
async function everything(client: Client, drive: string): Promise<unknown> {
  type Shown = Record<"id" | "path" | "tags" | "metadata" | "content_hash", unknown>;
  const { data } = await client.get<{ data: Shown[] }>(`/v0/files?drive_id=${drive}&limit=1000`);
  const records = data.map(({ id, path, tags, metadata, content_hash: hash }) => [
    id,
    path,
    tags,
    metadata,
    hash,
  ]);
  return { records, archive: await archived(client, drive) };
}

test("an agent gets back what it deleted, overwrote, edited badly and ruined, byte for byte", async () => {
  const { id: drive, client } = await stage.ownDrive();
  const at = (path: string, action = "") =>
    `/v0/files/by-path${action}?drive_id=${drive}&path=${encodeURIComponent(path)}`;
  const upload = (path: string, body: Uint8Array<ArrayBuffer> | string, status = 201) =>
    client.json(status, "PUT", `/v0/files?drive_id=${drive}&path=${path}&tags=kept`, { body });
  for (const [path, body] of Object.entries(FILES)) await upload(path, body);
  await client.post("/v0/folders", { drive_id: drive, path: "data/none/" });
  const start = await everything(client, drive);
  const restoreFirst = async (path: string) => {
    const { data } = await client.get<{ data: { version: number }[] }>(at(path, "/versions"));
    const first = data.at(-1)?.version ?? 0;
    await client.json(200, "POST", at(path, `/versions/${first}/restore`));
  };

  const removal = { body: { drive_id: drive, path: "data/", confirm: true } };
  const { trash_id: entry } = await client.json<{ trash_id: string }>(200, "DELETE", "/v0/folders", removal);
  await client.json(200, "POST", `/v0/trash/${entry}/restore`);
  expect(await everything(client, drive)).toEqual(start);

  await upload("notes/2030/budget.csv", "oops", 200);
  await restoreFirst("notes/2030/budget.csv");
  expect(await everything(client, drive)).toEqual(start);

  const edit = { op: "str_replace", old_string: "Write", new_string: "Burn" };
  await client.post(at("notes/plan.md", "/edit"), edit, 200);
  await restoreFirst("notes/plan.md");
  expect(await everything(client, drive)).toEqual(start);

  const taken = await takeSnapshot(client, drive);
  await client.json(200, "DELETE", "/v0/folders", removal);
  await upload("data", "a file where a folder was");
  await upload("notes/plan.md", "ruined", 200);
  await client.post(at("empty.txt", "/move"), { destination_path: "notes/2030/x" }, 200);
  await client.patch(at("notes/2030/budget.csv"), { tags: [], metadata: { a: 1 } });
  await client.post("/v0/folders/copy", { drive_id: drive, path: "notes/", destination_path: "junk/" });
  expect(await everything(client, drive)).not.toEqual(start);
  await client.json(200, "POST", `/v0/drives/${drive}/snapshots/${taken}/restore`);
  expect(await everything(client, drive)).toEqual(start);
});
