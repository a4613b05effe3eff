import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { backUpTo } from "../../../src/backup/backup.ts";
import { restoreFrom } from "../../../src/backup/restore.ts";
import { type IndexBatchId, type DrivePk, newId } from "../../../src/domain/id.ts";
import { IndexThread } from "../../../src/services/search/index-steps.ts";
import { NO_S3 } from "../../support/peers/s3-options.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { eventually, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { verified } from "../../support/faults/verified.ts";
import { settledIndex } from "../../support/server/settled-index.ts";
import { someOf } from "../../support/server/thorough.ts";

let coffer: TestAppliance;
let own: OwnDrive;

beforeEach(async () => {
  coffer = await startAppliance();
  own = await provision(coffer);
  await put("one.txt", "needle");
  await put("two.txt", "needle hay");
  await put("three.bin", "");
  expect(await found("needle")).toEqual(["one.txt", "two.txt"]);
});

afterEach(() => coffer[Symbol.asyncDispose]());

function put(path: string, body: string, status = 201): Promise<{ id: string }> {
  return coffer.client(own.key).put(own.id, path, body, status);
}

async function found(text: string): Promise<string[]> {
  const paths = await coffer
    .client(own.key)
    .paths(`/v0/search?drive_id=${own.id}&q=${encodeURIComponent(text)}`);
  return paths.toSorted();
}

/** A file of the data directory. */
function file(name: string): string {
  return join(coffer.dataDir, name);
}

/** A job, and the sum of its parts. */
type Job = Record<"ticket" | "parts", number>;

/** Indexes what waits, up to a ticket, as the thread does whose process ends before it has answered. */
async function indexApart(previous: IndexBatchId | null, id: IndexBatchId, upTo: number) {
  const places = { database: file("coffer.db"), blobs: { disks: [coffer.dataDir], store: null } };
  const first = newId<IndexBatchId>(2);
  const { thread, isNew } = await IndexThread.start(places, previous, first);
  const after = { names: 0, texts: 0, gone: 0 };
  const request = { drive: null, after, documents: [], upTo, previous: previous ?? first, id };
  const { done } = await thread.ask("index", request);
  await thread.close(previous);
  const jobs = done
    .map(([ticket, parts]): Job => ({ ticket, parts }))
    .toSorted((a, b) => a.ticket - b.ticket);
  return { isNew, jobs };
}

function open(): Sqlite {
  return new Sqlite(file("coffer.db"), { readonly: true, strict: true });
}

/** Starts the server again after a change of its files, and waits for the index. */
async function restartAfter(change: () => Promise<unknown>): Promise<void> {
  await coffer.close();
  await change();
  await coffer.restart();
  await settledIndex(coffer.dataDir);
}

describe("an index that is not the database's own is made again", () => {
  const spoils: Record<string, () => Promise<unknown>> = {
    missing: () => rm(file("search.db")),
    "not there since an upgrade": async () => {
      await rm(file("search.db"));
      using sql = new Sqlite(file("coffer.db"));
      sql.run("UPDATE search_index SET batch = NULL, filled_to = 0");
    },
    empty: () => writeFile(file("search.db"), ""),
    "no database": () => writeFile(file("search.db"), "x".repeat(20_000)),
    "of another format": async () => {
      using sql = new Sqlite(file("search.db"));
      sql.run("PRAGMA user_version = 99");
    },
    "of another store": async () => {
      await using other = await startAppliance();
      const { client, id } = await provision(other);
      await client.put(id, "other.txt", "other");
      await client.get(`/v0/search?q=other`);
      await other.close();
      await cp(join(other.dataDir, "search.db"), file("search.db"));
    },
  };
  test.each(someOf(Object.entries(spoils), 2))("%s", async (_, spoil) => {
    await restartAfter(spoil);
    expect(await found("needle")).toEqual(["one.txt", "two.txt"]);
    expect(await found("three")).toEqual(["three.bin"]);
    expect(await found("other")).toEqual([]);
    await put("four.txt", "needle");
    expect(await found("needle")).toEqual(["four.txt", "one.txt", "two.txt"]);
    await coffer.close();
    expect(await verified(coffer.dataDir)).toEqual([]);
  });

  test.each(someOf(["coffer.db", "search.db"], 2))(
    "beside another database: %s is of an earlier time",
    async (name) => {
      await restartAfter(() => cp(file(name), file("earlier.db")));
      await put("one.txt", "changed", 200);
      await put("four.txt", "needle");
      expect([await found("changed"), await found("needle")]).toEqual([["one.txt"], ["four.txt", "two.txt"]]);
      await restartAfter(() => rename(file("earlier.db"), file(name)));
      expect([await found("changed"), await found("needle")]).toEqual(
        name === "search.db" ? [["one.txt"], ["four.txt", "two.txt"]] : [[], ["one.txt", "two.txt"]],
      );
    },
  );

  test("damaged while the server runs, when a search finds it so", async () => {
    await restartAfter(async () => {
      using sql = new Sqlite(file("search.db"));
      const blocks = sql
        .query<{ block: Uint8Array }, []>("SELECT block FROM search_text_data WHERE id > 10")
        .all();
      sql.run("PRAGMA wal_checkpoint(TRUNCATE)");
      const bytes = await readFile(file("search.db"));
      for (const { block } of blocks) {
        const at = bytes.indexOf(block);
        if (at > 0) bytes.fill(0xff, at, at + block.length);
      }
      await writeFile(file("search.db"), bytes);
    });
    const search = () => coffer.client(own.key).status("GET", `/v0/search?drive_id=${own.id}&q=needle`);
    expect(await search()).toBe(500);
    await eventually(async () => (await search()) === 200);
    await settledIndex(coffer.dataDir);
    expect(await found("needle")).toEqual(["one.txt", "two.txt"]);
  });
});

test("a store that was restored is searched", async () => {
  const place = { kind: "directory", path: join(coffer.dataDir, "../backup") } as const;
  const { signal } = new AbortController();
  const options = {
    dataDir: coffer.dataDir,
    clock: coffer.clock,
    s3: NO_S3,
    diskReserve: 0,
    version: "1.2.3",
    backupContents: "leave" as const,
    signal,
  };
  await backUpTo(place, 1, options);
  await put("one.txt", "changed", 200);
  const restored = join(coffer.dataDir, "../restored");
  await restoreFrom(place, null, { ...options, dataDir: restored });
  await coffer.restart({ "data-dir": restored });
  await eventually(async () => (await found("needle")).length === 2);
  expect(await found("changed")).toEqual([]);
});

test("phrases and parts of names of what a file was do not match while it waits to be indexed", async () => {
  await put("green apple.txt", "some red words");
  expect([await found('"red words"'), await found("reen app")]).toEqual([
    ["green apple.txt"],
    ["green apple.txt"],
  ]);
  await coffer.appliance.services.indexer.stop();
  await put("green apple.txt", "words some red", 200);
  expect([await found('"red words"'), await found("some"), await found("reen app")]).toEqual([
    [],
    [],
    ["green apple.txt"],
  ]);
});

test("while the index cannot be made, searches find no file by words, and all by filters", async () => {
  await coffer.close();
  await rm(file("search.db"));
  await mkdir(file("search.db"));
  await coffer.restart();
  expect(await found("needle")).toEqual([]);
  const { total } = await coffer
    .client(own.key)
    .get<{ total: number }>(`/v0/search?drive_id=${own.id}&mime_type=text/*`);
  expect(total).toBe(2);
  expect(coffer.lines.filter((line) => line.includes("indexing failed")).length).toBeGreaterThan(0);
  await rm(file("search.db"), { recursive: true });
  // A first one may wait for a try in the background that began before this, and fails.
  await eventually(async () => (await found("needle")).length > 0);
  expect(await found("needle")).toEqual(["one.txt", "two.txt"]);
});

test("a job is removed only after its terms are in the index; one that was cut off in between is done again", async () => {
  await coffer.appliance.services.indexer.stop();
  await put("one.txt", "changed", 200);
  await put("four.txt", "needle");
  using sql = open();
  const jobs = () => sql.query<Job, []>("SELECT ticket, parts FROM search_job ORDER BY ticket").all();
  const batch = () =>
    sql.query<{ batch: IndexBatchId }, []>("SELECT batch FROM search_index").get()?.batch ?? null;
  const before = { jobs: jobs(), batch: batch() };
  if (before.batch === null) throw new Error("there is no index");
  const fresh = newId<IndexBatchId>(1);
  const done = await indexApart(before.batch, fresh, Number.MAX_SAFE_INTEGER);
  expect(done).toEqual({ isNew: false, jobs: before.jobs });
  expect({ jobs: jobs(), batch: batch() }).toEqual(before);
  using index = new Sqlite(file("search.db"), { readonly: true });
  expect(index.query("SELECT last FROM search_batch").values()).toEqual([[fresh]]);
  expect(index.query("SELECT count(*) FROM search_name").values()).toEqual([[4]]);
  await coffer.restart();
  await settledIndex(coffer.dataDir);
  expect(await found("needle")).toEqual(["four.txt", "two.txt"]);
  expect(await found("changed")).toEqual(["one.txt"]);
  expect(coffer.lines.filter((line) => line.includes("search index is new"))).toHaveLength(1);
});

test("only jobs that are on the disk are done", async () => {
  await coffer.appliance.services.indexer.stop();
  const { id } = await put("four.txt", "needle");
  using sql = open();
  const last = Number(sql.query("SELECT max(ticket) FROM search_job").values().flat()[0]);
  await coffer.client(own.key).delete(`/v0/files/${id}`);
  await put("five.txt", "needle");
  const done = await indexApart(null, newId<IndexBatchId>(1), last);
  expect(done.jobs.filter(({ ticket }) => ticket > last)).toEqual([]);
});

test("when the thread ends, another goes on", async () => {
  using started = spyOn(IndexThread, "start");
  // Instead of getting something to do, the thread ends.
  using posted = spyOn(Worker.prototype, "postMessage").mockImplementation(function end(this: Worker) {
    this.terminate();
  });
  await put("four.txt", "needle");
  await eventually(() => coffer.lines.some((line) => line.includes("indexing failed")));
  posted.mockRestore();
  expect(await found("needle")).toEqual(["four.txt", "one.txt", "two.txt"]);
  expect(started).toHaveBeenCalledTimes(1);
});

test("no write waits for the index, however long a batch takes, and no job goes before its batch is written", async () => {
  const other = new Sqlite(file("search.db"));
  // The thread may still write what was asked for before.
  other.run("PRAGMA busy_timeout = 60000");
  other.run("BEGIN IMMEDIATE");
  await put("four.txt", "needle");
  await put("five.txt", "needle");
  const sql = open();
  const drives = sql.query<{ pk: DrivePk }, []>("SELECT pk FROM drive").all();
  // The thread waits for the lock, and the jobs for the thread.
  await coffer.appliance.services.indexer.settle(
    drives.map(({ pk }) => pk),
    300,
  );
  expect(Number(sql.query("SELECT count(*) FROM search_job").values().flat()[0])).toBe(2);
  await put("six.txt", "needle");
  sql.close();
  other.run("ROLLBACK");
  other.close();
  expect(await found("needle")).toEqual(["five.txt", "four.txt", "one.txt", "six.txt", "two.txt"]);
  await coffer.close();
  // The threads have closed their connections as well.
  expect(["coffer.db-wal", "search.db-wal"].map((name) => existsSync(file(name)))).toEqual([false, false]);
});
