import { expect, spyOn, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openTables } from "../../../src/db/tables.ts";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import { type File, type FileRef, FILE_SORTS, positionOf } from "../../../src/domain/files/file.ts";
import { type FileId, parseId } from "../../../src/domain/id.ts";
import type { WalkRequest } from "../../../src/services/files/walks.ts";
import type { FolderSort } from "../../../src/domain/folders/folder.ts";
import { Glob } from "../../../src/domain/files/glob.ts";
import type { ListRequest } from "../../../src/services/files/listings.ts";
import type { Services } from "../../../src/services/services.ts";
import { bytesRead, NO_READ_COUNT } from "../../support/meters/bytes-read.ts";
import { addFolders, copyRows, numbersTo } from "../../support/samples/many-files.ts";
import type { OpenedServices } from "../../support/server/services-drive.ts";
import { driveIn, openOwnServices, openServicesIn, storeFile } from "../../support/server/services-drive.ts";
import { withReason } from "../../support/server/skip.ts";
import { testWith } from "../../support/server/test-with.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { TurnMeter } from "../../support/meters/turn-meter.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";

interface Filled {
  readonly key: string;
  readonly caller: Caller;
  readonly drive: string;
  /** The id of `first.txt`, which carries a tag. */
  readonly first: string;
}

/**
 * A drive with a file `first.txt`, `count` more in `many/` which carry its tag too, `count` folders in `folders/`, and
 * as many links of each kind.
 */
async function fill({ database, services }: OpenedServices, count: number): Promise<Filled> {
  const { key: apiKey, caller, drive: driveId } = await driveIn(services);
  await services.folders.create(caller, driveId, "few/");
  const file = await upload({ services, caller, drive: driveId }, "first.txt");
  await database.write(() => copyRows(database, file.id, count));
  await services.folders.create(caller, driveId, "folders/");
  await database.write(() => addFolders(database, count));
  await database.write(() => addComments(database, count));
  await database.write(() => addLinks(database, count));
  return { key: apiKey, caller, drive: driveId, first: file.id };
}

/** A comment on each of many files, of which a few are open. */
function addComments({ sql }: OpenedServices["database"], count: number): void {
  sql.run(
    `INSERT INTO comment (id, drive, file_id, version, text, mentions, made_by, resolved_at, resolved_by, created_at, updated_at)
     SELECT f.id, f.drive, f.id, 1, 'Why, @ada?', '["ada"]', 'key:' || k.id, iif(n.i > 60, 1, NULL),
            iif(n.i > 60, 'key:' || k.id, NULL), 1, 1
       FROM (${numbersTo(count)} SELECT i FROM n) n JOIN api_key k
       JOIN file f ON f.path = printf('many/%07d.txt', n.i)`,
  );
}

/** Links of the only drive to its first file, made one after the other. */
function addLinks({ sql }: OpenedServices["database"], count: number): void {
  const rows = `
    ${numbersTo(count)}
    SELECT i, printf('%08x-0000-7000-8000-000000000000', i), d.id, k.id, 1000000000000000, i, f.id, 'many/'
      FROM n, drive d, api_key k, file f WHERE f.path = 'first.txt'`;
  const common = "hash, id, drive_id, key_id, expires_at, created_at";
  sql.run(`INSERT INTO share_link (${common}, file_id, path) ${rows}`);
  sql.run(`INSERT INTO presigned_link (${common}, file_id, one_time) ${rows.replace("'many/'", "0")}`);
  sql.run(`INSERT INTO upload_link (${common}, path) ${rows.replace("f.id, ", "")}`);
  // They take no room here, which is full of files.
  sql.run("UPDATE drive SET record_size = 0");
}

async function upload(place: Parameters<typeof storeFile>[0], path: string): Promise<File> {
  return (await storeFile(place, path, `content of ${path}`, { tags: ["tag"] })).file;
}

const list = { prefix: "", grouped: false, tags: [], sort: "path", page: 1, limit: 50, after: null } as const;
const fullFolder = { prefix: "many/", grouped: true };
const fullOfFolders = { prefix: "folders/", grouped: true };

/** The id that `copyRows` gave the 500th file. */
function middleId(first: string): FileId {
  const id = parseId<FileId>(`${first.slice(0, 24)}0002000001f4`);
  if (id === null) throw new Error("not an id");
  return id;
}

const to = { driveId: undefined, onConflict: "fail" as const };

/**
 * Statements that may look at every row of something, told by a part of their text. What is scanned
 * elsewhere is `page`, `up`, `maker` and `below`, results that a statement has just worked out itself.
 */
const MAY_SCAN: Readonly<Record<string, string>> = {
  "FROM user WHERE deleted_at IS NULL ORDER BY username": "accounts are few, and a command lists them all",
  "SELECT count(*) AS clients FROM known_client":
    "100,000 rows at most, and after a password was verified, which takes far longer",
  "SELECT id FROM ended_key LIMIT 1": "it stops at the first",
  "FROM ended_key e": "a key is in it only until what it made is removed",
  "SELECT 1 FROM user LIMIT 1": "it stops at the first",
  "SELECT 1 FROM damaged_content LIMIT 1": "it stops at the first",
  "FROM (SELECT * FROM blob ORDER BY pk DESC LIMIT": "it takes the newest rows",
  "SELECT count(*) AS clients FROM oauth_client": "5,000 rows at most",
  "FROM oauth_client WHERE used = 0 ORDER BY expires_at LIMIT": "it takes the oldest rows",
  "FROM known_client ORDER BY used_at LIMIT": "it takes the oldest rows",
  "FROM folder_work ORDER BY pk": "those that a crash cut off are few, and it runs at the start",
  "FROM batch ORDER BY id": "those that a crash cut off are few, and it runs at the start",
  "FROM sqlite_sequence": "a row for each table with numbers that never come again: one",
  "FROM webhook WHERE disabled_at IS NULL": "it runs at the start, for all of them",
  "SELECT DISTINCT webhook FROM webhook_delivery": "it runs at the start, for all that wait",
  "FROM setting ORDER BY name": "a row for each setting that was changed",
  "DELETE FROM snapshot": "works on folders that name it are few",
  "INDEXED BY trash_age WHERE state = 'kept' ORDER BY deleted_at LIMIT 1":
    "it stops at the first that is kept; the others are emptied soon",
  "sum(released_size)": "it runs only while the disk is short of space",
  "INSERT INTO trash (id": "works of folders, which may name an entry, are few",
  "DELETE FROM document_retry": "all of them go when a new index is made",
  "DELETE FROM trash WHERE": "works of folders, which may name an entry, are few",
  "FROM damaged_content c CROSS JOIN": "damaged contents are few",
  "FROM json_each(?) c CROSS JOIN file": "the files that one step of the indexer names",
  "json_each(:otherTags)": "the tags that one request asks for",
  "json_each(:tags)": "the tags that one request asks for, and those of one file",
};
const OWN_RESULT =
  /^SCAN (page|up|maker|below|\(subquery-\d+\)|CONSTANT ROW|json_each VIRTUAL TABLE INDEX 1:)$/;

/** The texts of all statements. */
function textsOf({ database }: OpenedServices): string[] {
  const prepare = spyOn(database.sql, "prepare");
  openTables(database);
  const texts = prepare.mock.calls.map(([text]) => text);
  prepare.mockRestore();
  expect(texts.length).toBeGreaterThan(50);
  return texts;
}

/** The lines of a statement's plan. Throws if the statement does not fit the schema: a server would notice at its use. */
function planOf({ database }: OpenedServices, text: string): string[] {
  const lines = database.sql.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`).all();
  return lines.map(({ detail }) => detail);
}

const it = testWith(openOwnServices);

it("every statement finds its rows by an index", (opened) => {
  const scans: [string, string][] = [];
  for (const text of textsOf(opened)) {
    for (const detail of planOf(opened, text)) {
      const scan = detail.startsWith("SCAN ") && !OWN_RESULT.test(detail);
      if (scan && !Object.keys(MAY_SCAN).some((part) => text.includes(part))) scans.push([detail, text]);
    }
  }
  expect(scans).toEqual([]);
});

it("one file's past is not looked for in all that snapshots hold", (opened) => {
  const slow = textsOf(opened).filter((text) =>
    planOf(opened, text).some((detail) => / held_\w+_until \(drive=\? AND until>\?\)/.test(detail)),
  );
  expect(slow).toEqual([]);
});

it("pages come in the order of an index, from statements that are planned only once", (opened) => {
  const pages = textsOf(opened).filter(
    (text) => /LIMIT \S+ OFFSET [:?]/.test(text) && !text.includes("SELECT 1"),
  );
  expect(pages.length).toBeGreaterThan(10);
  const sorted = pages.filter((text) =>
    planOf(opened, text).some((detail) => detail.includes("TEMP B-TREE")),
  );
  expect(sorted).toEqual([]);
  // SQLite plans a statement anew, at each run, for a limit that is nothing but a parameter.
  expect(pages.filter((text) => /LIMIT [:?]/.test(text))).toEqual([]);
});

test("no statistics from when a table was small mislead the plans once it is large", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  {
    await using opened = await openServicesIn(place.path);
    const { caller, drive } = await fill(opened, 3000);
    opened.services.listings.list(caller, { ...list, driveId: drive });
  }
  await using opened = await openServicesIn(place.path);
  expect(
    opened.database.sql.query("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'").all(),
  ).toEqual([]);
});

test("a small file is downloaded again without a statement, until something is written", async () => {
  const meter = new TurnMeter();
  await using opened = await openOwnServices({ open: (database) => meter.open(database) });
  const { services, database, clock } = opened;
  const { key, caller, drive } = await driveIn(services);
  const file = await upload({ services, caller, drive }, "small.txt");
  const at: FileRef = { drive, path: "small.txt" };
  /** How many statements a download runs in a snapshot of its own. */
  const download = (ref: FileRef = file) => {
    const done = meter.total;
    clock.advance(1);
    database.holdSnapshot();
    const reader = services.apiKeys.authenticate(key);
    if (reader === null) throw new Error("the key is not known");
    const content = services.files.content(null, services.files.facts(reader, ref));
    // At once: a promise would be one of a file on the disk.
    expect(content).toBeInstanceOf(Blob);
    return meter.total - done;
  };
  // Its key, its row, whether anything is damaged, and its bytes, which stay.
  expect([download(), download(), download()]).toEqual([4, 0, 0]);
  // Its drive, and the row at its path.
  expect([download(at), download(at), download()]).toEqual([2, 0, 0]);
  await upload({ services, caller, drive }, "another.txt");
  expect([download(), download()]).toEqual([3, 0]);
});

type Work = (services: Services, filled: Filled) => unknown;

/** Lists files, in the way of `list` but for what is given. */
function listing(request: Partial<ListRequest>): Work {
  return ({ listings }, { caller, drive }) =>
    listings.records(caller, { ...list, driveId: drive, ...request });
}

/** Walks through a drive. */
function walking(request: Partial<WalkRequest>): Work {
  return ({ walks }, { caller, drive }) =>
    walks.records(caller, { ...list, driveId: drive, glob: null, depth: null, ...request }, null);
}

function afterMiddle(sort: "path" | "-path" | "name" | "-name"): Partial<ListRequest> {
  return { sort, after: { file: { sort, path: "many/0000500.txt" }, folder: null } };
}

function foldersAfter(after: string | null, sort: FolderSort = "path"): Work {
  return ({ folders }, { caller, drive: driveId }) =>
    folders.list(caller, { driveId, path: "folders/", sort, page: 1, limit: 50, after });
}

function commentsOf(which: { readonly mention?: string; readonly resolved?: boolean }): Work {
  return async ({ comments }, { caller, drive }) => {
    const page = { drive, limit: 50, before: null, mention: undefined, resolved: undefined };
    expect((await comments.ofDrive(caller, { ...page, ...which })).comments).toHaveLength(50);
  };
}

/** A work for each order. */
function each<Sort>(sorts: readonly Sort[], of: (sort: Sort) => [name: string, work: Work]) {
  return Object.fromEntries(sorts.map(of));
}

const COSTS: Readonly<Record<string, Work>> = {
  "looking up a key": (services, { key }) => services.apiKeys.authenticate(key),
  "showing a drive": (services, { caller, drive }) => services.drives.get(caller, drive),
  "showing a file": (services, { caller, first }) => services.files.get(caller, { id: first }),
  "showing a file at a path": (services, { caller, drive }) =>
    services.files.get(caller, { drive, path: "many/0000500.txt" }),
  "page 1 of a drive": listing({}),
  "page 1 of its top level": listing({ grouped: true }),
  "page 1 of a full folder": listing(fullFolder),
  ...each(FILE_SORTS, (sort) => [`page 1 of a full folder, by ${sort}`, listing({ ...fullFolder, sort })]),
  "the page after a cursor, backwards": listing({ ...fullFolder, ...afterMiddle("-path") }),
  // All files of this folder have one size and one time, so it is the ids that decide.
  ...each(["size", "-size", "updated_at", "-updated_at"] as const, (sort) => [
    `the page after a cursor, by ${sort}`,
    (services, filled) => {
      const file = services.files.get(filled.caller, { id: filled.first });
      const after = { file: positionOf(sort, { ...file, id: middleId(filled.first) }), folder: null };
      return listing({ ...fullFolder, sort, after })(services, filled);
    },
  ]),
  ...each(["name", "-name"] as const, (sort) => [
    `the page after a cursor, by ${sort}`,
    listing({ ...fullFolder, ...afterMiddle(sort) }),
  ]),
  "the page after a cursor": listing(afterMiddle("path")),
  "page 1 of a folder that is full of folders": listing(fullOfFolders),
  "its page after a cursor": listing({ ...fullOfFolders, after: { file: null, folder: "folders/500/" } }),
  "page 1 of the folders in a full folder": foldersAfter(null),
  "the page of folders after a cursor": foldersAfter("folders/500/"),
  "the page of folders after a cursor, by name": foldersAfter("folders/500/", "name"),
  "one level of a drive": walking({ depth: 1 }),
  "one level of a folder that is full of folders": walking({ prefix: "folders/", depth: 1 }),
  "page 1 of the files that match": walking({ glob: new Glob("many/*.txt") }),
  "page 1 of many links": async (services, { caller, drive }) => {
    const { links } = await services.linkLists.list(caller, { drive, limit: 50, after: null });
    expect(links).toHaveLength(50);
  },
  "page 1 of many comments": commentsOf({}),
  "page 1 of those that mention somebody": commentsOf({ mention: "Ada" }),
  "page 1 of those that are open": commentsOf({ resolved: false }),
  "packing one folder of many": async (services, { caller, drive }) => {
    const archive = services.archives.open(caller, "127.0.0.1", drive, ["first.txt", "few/"]);
    for await (const piece of archive.pieces()) expect(piece.length).toBeGreaterThan(0);
  },
  "previewing the deletion of a full folder": (services, { caller, drive }) =>
    services.folders.preview(caller, drive, "many/"),
  "uploading a file": (services, filled) => upload({ ...filled, services }, "many/new.txt"),
  "downloading a file": async (services, { caller, first }) => {
    const content = await services.files.content(null, services.files.get(caller, { id: first }));
    expect(await content.text()).toBe("content of first.txt");
  },
  "copying a file": (services, { caller, first }) =>
    services.files.copy(caller, { id: first }, { ...to, path: "many/copy.txt" }, UNCONDITIONAL),
  "moving a file": (services, { caller, first }) =>
    services.files.move(caller, { id: first }, { ...to, path: "a/b.txt" }, UNCONDITIONAL),
  "moving a folder": (services, { caller, drive }) =>
    services.folders.move(caller, drive, "folders/7/", { driveId: undefined, path: "many/7/" }),
  "copying a folder": (services, { caller, drive }) =>
    services.folders.copy(caller, drive, "folders/8/", { driveId: undefined, path: "many/8/" }),
  "deleting a file": (services, { caller, first }) =>
    services.files.remove(caller, { id: first }, UNCONDITIONAL),
  "deleting the drive": (services, { caller, drive }) => services.drives.remove(caller, drive),
};

// Two drives of one store would share pages, so each size has a database of its own.
const FEW = 1000;
/** With as many folders, and a tag each: about as much as an unclaimed drive has room for. */
const MANY = 40_000;
/** What deeper trees and rows that lie further apart may cost more: far less than the pages of an index. */
const MORE_BYTES = 24 * 4096;

test.skipIf(NO_READ_COUNT !== "")(
  withReason("what a request reads, and how often, does not grow with the number of files", NO_READ_COUNT),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const costs = new Map<string, { readonly bytes: number; readonly units: number }[]>();
    for (const count of [FEW, MANY]) {
      const root = join(place.path, String(count));
      await mkdir(root);
      let filled: Filled;
      {
        await using opened = await openServicesIn(root);
        filled = await fill(opened, count);
      }
      for (const [name, work] of Object.entries(COSTS)) {
        // Opened anew each time, so that nothing is in memory yet.
        const meter = new TurnMeter();
        await using opened = await openServicesIn(root, { open: (database) => meter.open(database) });
        const [before, done] = [bytesRead() ?? 0, meter.total];
        await work(opened.services, filled);
        const cost = { bytes: (bytesRead() ?? 0) - before, units: meter.total - done };
        costs.set(name, [...(costs.get(name) ?? []), cost]);
      }
    }
    for (const [name, [few, many]] of costs) {
      if (few === undefined || many === undefined) throw new Error(`${name} was not measured twice`);
      expect([name, few.bytes > 0, few.units > 0]).toEqual([name, true, true]);
      expect([name, Math.max(0, many.bytes - few.bytes - MORE_BYTES)]).toEqual([name, 0]);
      expect([name, many.units]).toEqual([name, few.units]);
      // All records of a page are one value, however many they are.
      if (name.startsWith("page 1 of a full folder")) expect([name, many.units < 11]).toEqual([name, true]);
    }
  },
);
