import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Answer, Client } from "../../support/server/client.ts";
import { serve, signUp } from "../../support/server/executable.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { eventually } from "../../support/server/scenario.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** Enough for many pieces, and no more than one request copies. */
const FILES = 9000;
/** The same where the trash has a part in it: its pieces have fewer files. */
const TRASHED = 3000;

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

/** A server with a folder `many/`, for a restore in the trash, and its database to look into. */
async function begin(kind: Kind, files: number) {
  const opened = new AsyncDisposableStack();
  const place = opened.use(await temporaryDirectory());
  const server = opened.use(await serve(place));
  const { key, drive } = await signUp(server, "ada");
  const { id } = await server.client(key).put(drive, "first.txt");
  await addManyFiles(place.dataDir, id, files);
  const sql = opened.use(new Sqlite(join(place.dataDir, "coffer.db"), { readonly: true }));
  sql.run("PRAGMA busy_timeout = 10000");
  const count = (what: string) => Number(sql.query(`SELECT count(*) FROM ${what}`).values()[0]?.[0]);
  const entry = kind === "restore" ? await removeFolder(server.client(key), drive) : "";
  const end = () => opened.disposeAsync();
  return { place, server, key, drive, sql, count, entry, [Symbol.asyncDispose]: end };
}

test.each(KINDS)(
  "a kill amid a folder's $kind leaves old or new as a whole, and asking again has the answer",
  async ({ kind, files, status, afterKill, atEnd, trashed }) => {
    await using begun = await begin(kind, files);
    const { place, server, key, drive, sql, count, entry } = begun;
    const standing = () => ["many/", "x/more/"].map((folder) => count(`file WHERE path LIKE '${folder}%'`));

    const asking = Promise.allSettled([ask(server.client(key), drive, kind, entry)]);
    await eventually(() => count("folder_work") === 1);
    await server.kill();
    const [cutOff] = await asking;
    expect([cutOff.status, count("folder_work")]).toEqual(["rejected", 1]);
    expect(standing()).not.toEqual([...atEnd]);

    await using again = await serve(place);
    // Nothing gets into what is still on its way: the upload comes after it.
    await again.client(key).put(drive, "many/new.txt");
    if (kind === "restore") await eventually(() => count("folder_work") === 0);
    expect(count("folder_work")).toBe(0);
    expect(faultsOfTrees(sql)).toEqual([]);
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
    expect([count("folder_work"), faultsOfTrees(sql)]).toEqual([0, []]);
    expect(await again.stop()).toBe(0);
  },
);

test.each(KINDS)(
  "a kill amid the giving up of a folder's $kind leaves all as it was, and it can be asked for again",
  async ({ kind, files, status, atEnd, trashed }) => {
    await using begun = await begin(kind, files);
    const { place, server, key, drive, sql, count, entry } = begun;
    const standing = () => [
      ...["many/", "x/more/"].map((folder) => count(`file WHERE path LIKE '${folder}%'`)),
      count("trash_file"),
    ];
    const before = standing();

    const asking = Promise.allSettled([ask(server.client(key), drive, kind, entry)]);
    await eventually(() => count("folder_work WHERE files_done > 300") === 1);
    const works = `/v0/drives/${drive}/works`;
    const { data } = await server.client(key).get<{ data: { id: string }[] }>(works);
    await server.client(key).json(200, "POST", `${works}/${data[0]?.id}/cancel`);
    await server.kill();
    const [cutOff] = await asking;
    expect([cutOff.status, count("folder_work WHERE undone = 1")]).toEqual(["rejected", 1]);
    expect(standing()).not.toEqual(before);

    await using again = await serve(place);
    await eventually(() => count("folder_work") === 0);
    expect([standing(), faultsOfTrees(sql)]).toEqual([before, []]);
    expect(count("folder WHERE path LIKE 'x/%'")).toBe(0);

    const asked = await ask(again.client(key), drive, kind, entry);
    expect([asked.status, asked.headers.get("idempotency-replayed")]).toEqual([status, null]);
    expect(standing().slice(0, 2)).toEqual([...atEnd]);
    expect(count("trash_file")).toBe(kind === "remove" ? trashed : 0);
    expect(await again.stop()).toBe(0);
  },
);
