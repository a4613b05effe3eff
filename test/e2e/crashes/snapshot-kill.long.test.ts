import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Client } from "../../support/server/client.ts";
import { serve, signUp } from "../../support/server/executable.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { verified } from "../../support/faults/verified.ts";

/** Enough for many pieces. */
const FILES = 2000;

interface Ids {
  readonly data: { readonly id: string }[];
  readonly next_cursor: string | null;
}

/** The records of all files of a drive. */
async function listed(client: Client, drive: string): Promise<object[]> {
  const found: object[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: Ids = await client.get(`/v0/files?drive_id=${drive}&limit=1000${after}`);
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found;
}

test.each(["restore", "fork", "fork of its own snapshot"] as const)(
  "a kill amid a %s: a restore goes on after the start, of a fork nothing is left",
  async (kind) => {
    await using place = await temporaryDirectory();
    await using server = await serve(place);
    const { key, drive } = await signUp(server, "ada");
    const client = server.client(key);
    const { id } = await client.put(drive, "first.txt");
    await addManyFiles(place.dataDir, id, FILES);
    const before = await listed(client, drive);
    const taken = await client.post<{ data: { id: string } }>(`/v0/drives/${drive}/snapshots`);
    const removal = { body: { drive_id: drive, path: "many/", confirm: true } };
    if (kind !== "fork of its own snapshot") await client.json(200, "DELETE", "/v0/folders", removal);
    using sql = new Sqlite(join(place.dataDir, "coffer.db"), { readonly: true });
    sql.run("PRAGMA busy_timeout = 10000");
    const count = (what: string) => Number(sql.query(`SELECT count(*) FROM ${what}`).values()[0]?.[0]);

    const snapshot = taken.data.id;
    const asking = Promise.allSettled([
      kind === "restore"
        ? client.send("POST", `/v0/drives/${drive}/snapshots/${snapshot}/restore`)
        : client.send("POST", `/v0/drives/${drive}/fork`, {
            body: kind === "fork" ? { name: "Fork", snapshot_id: snapshot } : { name: "Fork" },
          }),
    ]);
    await eventually(
      () =>
        count("folder_work") === 1 &&
        count("file") > (kind === "fork of its own snapshot" ? FILES + 101 : 100),
    );
    await server.kill();
    const [cutOff] = await asking;
    expect([cutOff.status, count("folder_work")]).toEqual(["rejected", 1]);
    expect(count("file")).toBeLessThan(kind === "fork of its own snapshot" ? 2 * FILES : FILES);

    await using again = await serve({ dataDir: place.dataDir, env: { COFFER_SWEEP_INTERVAL: "1s" } });
    await eventually(() => count("folder_work") === 0);
    const after = again.client(key);
    const { data: drives } = await after.get<Ids>("/v0/drives");
    expect(drives.map((each) => each.id)).toEqual([drive]);
    const present = await listed(after, drive);
    if (kind === "restore") expect(present).toEqual(before);
    else await eventually(() => count("file") === (kind === "fork" ? 1 : FILES + 1) && count("drive") === 1);
    const kept = await after.get<Ids>(`/v0/drives/${drive}/snapshots`);
    expect(kept.data.map((each) => each.id)).toEqual(
      kind === "restore" ? [expect.any(String), snapshot] : [snapshot],
    );
    expect(await again.stop()).toBe(0);
    expect(await verified(place.dataDir)).toEqual([]);
  },
);
