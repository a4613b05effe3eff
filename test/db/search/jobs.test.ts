import { expect } from "bun:test";
import { type DoneJob, PART, searchJobs } from "../../../src/db/search/jobs.ts";
import { type IndexBatchId, type FilePk, newId } from "../../../src/domain/id.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { testWith } from "../../support/server/test-with.ts";

type Jobs = readonly (readonly [ticket: number, parts: number])[];

/** A database with a new file, whose job has the ticket 1. */
const it = testWith(async () => {
  const opened = await openDatabase();
  opened.sql.run(
    `INSERT INTO drive (pk, id, name, description, created_at, updated_at) VALUES (1, 'd', 'D', '', 0, 0);
     INSERT INTO folder (pk, drive, path, created_at) VALUES (1, 1, '', 0);
     INSERT INTO blob (pk, digest, size) VALUES (1, 'a', 1), (2, 'b', 1);
     INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                       created_at, updated_at)
     VALUES ('f', 1, 1, 'f', 'f', 'text/plain', 0, 1, 1, '[]', '{}', 0, 0)`,
  );
  const { finish, fill } = searchJobs(opened.database);
  const write = (work: () => void) => opened.database.write(work);
  return Object.assign(opened, {
    jobs: (): Jobs =>
      opened.sql
        .query<{ ticket: number; parts: number }, []>("SELECT ticket, parts FROM search_job ORDER BY ticket")
        .all()
        .map(({ ticket, parts }) => [ticket, parts] as const),
    finish: (...done: DoneJob[]) => write(() => finish(done, newId<IndexBatchId>(1))),
    fill: () => {
      const files = opened.sql
        .query<{ pk: FilePk }, []>("SELECT pk FROM file")
        .all()
        .map(({ pk }) => pk);
      return write(() => fill({ names: files, texts: files, filledTo: null }));
    },
  });
});

const { names, text } = PART;
const BOTH = names | text;

it("a new file has one job, of which one part may be done before the other", async ({ jobs, finish }) => {
  expect(jobs()).toEqual([[1, BOTH]]);
  await finish([1, names]);
  expect(jobs()).toEqual([[1, text]]);
  await finish([1, text]);
  expect(jobs()).toEqual([]);
});

it("names that change while a new file is indexed have a job again, and its text is done", async (opened) => {
  const { sql, jobs, finish } = opened;
  sql.run("UPDATE file SET filename = 'g'");
  expect(jobs()).toEqual([
    [1, text],
    [2, names],
  ]);
  await finish([1, BOTH]);
  expect(jobs()).toEqual([[2, names]]);
});

it("a text that changes while a new file is indexed has a job again, and its names are done", async (opened) => {
  const { sql, jobs, finish } = opened;
  sql.run("UPDATE file SET blob = 2");
  expect(jobs()).toEqual([
    [1, names],
    [2, text],
  ]);
  await finish([1, text]);
  expect(jobs()).toEqual([
    [1, names],
    [2, text],
  ]);
  await finish([1, BOTH]);
  expect(jobs()).toEqual([[2, text]]);
});

it("a new index adds jobs only for parts that have none", async ({ jobs, finish, fill }) => {
  await fill();
  expect(jobs()).toEqual([[1, BOTH]]);
  await finish([1, names]);
  await fill();
  expect(jobs()).toEqual([
    [1, text],
    [2, names],
  ]);
});
