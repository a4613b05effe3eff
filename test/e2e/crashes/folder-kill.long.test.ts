import { expect, test } from "bun:test";
import { join } from "node:path";
import { rowsIn } from "../../support/faults/change-database.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { serve, type Server, signUp } from "../../support/server/executable.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { eventually } from "../../support/server/scenario.ts";
import { takeSnapshot } from "../../support/server/targets.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { verified } from "../../support/faults/verified.ts";

/** Enough for many pieces, and no more than one request copies. */
const FILES = 9000;
/** The same where the trash has a part in it: its pieces have fewer files. */
const TRASHED = 3000;
const IN_SNAPSHOT = 2000;

const KINDS = [
  { kind: "copy", files: FILES, status: 201, afterKill: [FILES, 0], atEnd: [FILES, FILES], trashed: 0 },
  { kind: "move", files: FILES, status: 200, afterKill: [FILES, 0], atEnd: [0, FILES], trashed: 0 },
  { kind: "remove", files: TRASHED, status: 200, afterKill: [0, 0], atEnd: [0, 0], trashed: TRASHED },
  { kind: "restore", files: TRASHED, status: 200, afterKill: [0, 0], atEnd: [0, TRASHED], trashed: TRASHED },
] as const;
type Kind = (typeof KINDS)[number]["kind"];

/** @param entry of `many/` in the trash, for a restore */
function ask(client: Client, drive: string, kind: Kind, entry: string): Promise<Answer> {
  const headers = { "idempotency-key": `one ${kind} that is done once, whatever happens` };
  const body = { drive_id: drive, path: "many/" };
  if (kind === "remove")
    return client.send("DELETE", "/v0/folders", { body: { ...body, confirm: true }, headers });
  if (kind === "restore")
    return client.send("POST", `/v0/trash/${entry}/restore`, { body: { path: "x/more/" }, headers });
  return client.send("POST", `/v0/folders/${kind}`, {
    body: { ...body, destination_path: "x/more/" },
    headers,
  });
}

async function removeFolder(client: Client, drive: string): Promise<string> {
  const body = { drive_id: drive, path: "many/", confirm: true };
  return (await client.delete<{ trash_id: string }>("/v0/folders", body)).trash_id;
}

/** A server with a folder `many/`, and its database to look into. */
async function begin(files: number, kind?: Kind) {
  const opened = new AsyncDisposableStack();
  const place = opened.use(await temporaryDirectory());
  const server = opened.use(await serve(place));
  const { key, drive, client } = await signUp(server, "ada");
  const { id } = await client.put(drive, "first.txt");
  await addManyFiles(place.dataDir, id, files);
  return {
    /** Of the folder, for a restore, which is in the trash. */
    entry: kind === "restore" ? await removeFolder(client, drive) : "",
    place,
    server,
    key,
    drive,
    client,
    count: (what: string) => Number(rowsIn(place.dataDir, `SELECT count(*) FROM ${what}`)[0]?.[0]),
    faults: () => faultsOfTrees({ filename: join(place.dataDir, "coffer.db") }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Kills a server amid a request, as soon as it has come so far. */
async function killAmid(server: Server, asked: Promise<Answer>, isSoFar: () => boolean): Promise<void> {
  const asking = Promise.allSettled([asked]);
  await eventually(isSoFar);
  await server.kill();
  expect((await asking)[0].status).toBe("rejected");
}

test.each(KINDS)(
  "a kill amid a folder's $kind leaves old or new as a whole, and asking again has the answer",
  async ({ kind, files, status, afterKill, atEnd, trashed }) => {
    await using begun = await begin(files, kind);
    const { place, server, key, drive, client, count, faults, entry } = begun;
    const standing = () => ["many/", "x/more/"].map((folder) => count(`file WHERE path LIKE '${folder}%'`));

    await killAmid(server, ask(client, drive, kind, entry), () => count("folder_work") === 1);
    expect(count("folder_work")).toBe(1);
    expect(standing()).not.toEqual([...atEnd]);

    await using again = await serve(place);
    // Nothing gets into what is still on its way: the upload comes after it.
    await again.client(key).put(drive, "many/new.txt");
    if (kind === "restore") await eventually(() => count("folder_work") === 0);
    expect(count("folder_work")).toBe(0);
    expect(faults()).toEqual([]);
    const [left, made] = afterKill;
    expect(standing()).toEqual([left + 1, made]);
    expect(count("folder WHERE path LIKE 'x/%'")).toBe(0);
    expect(count("trash_file")).toBe(trashed);
    expect(count("trash WHERE state = 'kept'")).toBe(trashed === 0 ? 0 : 1);

    const asked = await ask(again.client(key), drive, kind, entry);
    expect([asked.status, asked.headers.get("idempotency-replayed")]).toEqual([
      status,
      kind === "remove" ? "true" : null,
    ]);
    const repeated = await ask(again.client(key), drive, kind, entry);
    expect([repeated.status, repeated.text]).toEqual([status, asked.text]);
    // A removal was decided before the kill, so it does not take what came later.
    const more = { copy: [1, 1], move: [0, 1], remove: [1, 0], restore: [1, 0] }[kind];
    expect(standing()).toEqual(atEnd.map((at, end) => at + (more[end] ?? 0)));
    expect([count("folder_work"), faults()]).toEqual([0, []]);
    expect(await again.stop()).toBe(0);
  },
);

test.each(KINDS)(
  "a kill amid the giving up of a folder's $kind leaves all as it was, and it can be asked for again",
  async ({ kind, files, status, atEnd, trashed }) => {
    await using begun = await begin(files, kind);
    const { place, server, key, drive, client, count, faults, entry } = begun;
    const standing = () => [
      ...["many/", "x/more/"].map((folder) => count(`file WHERE path LIKE '${folder}%'`)),
      count("trash_file"),
    ];
    const before = standing();

    const asked = ask(client, drive, kind, entry);
    await eventually(() => count("folder_work WHERE files_done > 300") === 1);
    const works = `/v0/drives/${drive}/works`;
    const { data } = await client.get<{ data: { id: string }[] }>(works);
    await client.post(`${works}/${data[0]?.id}/cancel`, undefined, 200);
    await killAmid(server, asked, () => true);
    expect(count("folder_work WHERE undone = 1")).toBe(1);
    expect(standing()).not.toEqual(before);

    await using again = await serve(place);
    await eventually(() => count("folder_work") === 0);
    expect([standing(), faults()]).toEqual([before, []]);
    expect(count("folder WHERE path LIKE 'x/%'")).toBe(0);

    const answer = await ask(again.client(key), drive, kind, entry);
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([status, null]);
    expect(standing().slice(0, 2)).toEqual([...atEnd]);
    expect(count("trash_file")).toBe(kind === "remove" ? trashed : 0);
    expect(await again.stop()).toBe(0);
  },
);

/** The records of all files of a drive. */
async function recordsOf(client: Client, drive: string): Promise<object[]> {
  type Page = { data: object[]; next_cursor: string | null };
  return (await client.pages<Page>(`/v0/files?drive_id=${drive}&limit=1000`)).flatMap(({ data }) => data);
}

test.each(["restore", "fork", "fork of its own snapshot"] as const)(
  "a kill amid a snapshot's %s: a restore goes on after the start, of a fork nothing is left",
  async (kind) => {
    await using begun = await begin(IN_SNAPSHOT);
    const { place, server, key, drive, client, count } = begun;
    const before = await recordsOf(client, drive);
    const snapshot = await takeSnapshot(client, drive);
    const there = kind === "fork of its own snapshot" ? IN_SNAPSHOT + 1 : 1;
    if (there === 1) await removeFolder(client, drive);

    const body = { name: "Fork", ...(kind === "fork" ? { snapshot_id: snapshot } : {}) };
    const asked =
      kind === "restore"
        ? client.send("POST", `/v0/drives/${drive}/snapshots/${snapshot}/restore`)
        : client.send("POST", `/v0/drives/${drive}/fork`, { body });
    await killAmid(server, asked, () => count("folder_work") === 1 && count("file") > there + 99);
    expect(count("folder_work")).toBe(1);
    expect(count("file")).toBeLessThan(there + IN_SNAPSHOT - 1);

    await using again = await serve({ dataDir: place.dataDir, env: { COFFER_SWEEP_INTERVAL: "1s" } });
    await eventually(() => count("folder_work") === 0);
    const after = again.client(key);
    const idsAt = async (path: string) =>
      (await after.get<{ data: { id: string }[] }>(path)).data.map(({ id }) => id);
    expect(await idsAt("/v0/drives")).toEqual([drive]);
    if (kind === "restore") expect(await recordsOf(after, drive)).toEqual(before);
    else await eventually(() => count("file") === there && count("drive") === 1);
    expect(await idsAt(`/v0/drives/${drive}/snapshots`)).toEqual(
      kind === "restore" ? [expect.any(String), snapshot] : [snapshot],
    );
    expect(await again.stop()).toBe(0);
    expect(await verified(place.dataDir)).toEqual([]);
  },
);
