import { expect, spyOn, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openTables } from "../../../src/db/tables.ts";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import { type File, FILE_SORTS, positionOf } from "../../../src/domain/files/file.ts";
import { type FileId, parseId } from "../../../src/domain/id.ts";
import type { Services } from "../../../src/services/services.ts";
import { bytesRead, NO_READ_COUNT } from "../../support/meters/bytes-read.ts";
import { addFolders, copyRows, numbersTo } from "../../support/samples/many-files.ts";
import {
  type OpenedServices,
  openOwnServices,
  openServicesIn,
} from "../../support/server/opened-services.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { TurnMeter } from "../../support/meters/turn-meter.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { driveIn, storeFile } from "../../support/server/services-drive.ts";

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
  const file = await upload(services, { caller, drive: driveId }, "first.txt");
  await database.write(() => copyRows(database, file.id, count));
  await services.folders.create(caller, driveId, "folders/");
  await database.write(() => addFolders(database, count));
  await database.write(() => addLinks(database, count));
  return { key: apiKey, caller, drive: driveId, first: file.id };
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

async function upload(
  services: Services,
  { caller, drive }: Pick<Filled, "caller" | "drive">,
  path: string,
): Promise<File> {
  return (await storeFile(services, caller, drive, path, `content of ${path}`, { tags: ["tag"] })).file;
}

const list = { prefix: "", grouped: false, tags: [], sort: "path", page: 1, limit: 50, after: null } as const;
const fullFolder = { ...list, prefix: "many/", grouped: true } as const;
const fullOfFolders = { ...list, prefix: "folders/", grouped: true } as const;

/** The id that `copyRows` gave the 500th file. */
function middleId(first: string): FileId {
  const id = parseId<FileId>(`${first.slice(0, 24)}0002000001f4`);
  if (id === null) throw new Error("not an id");
  return id;
}

const folderList = { page: 1, limit: 50, after: null };
const to = { driveId: undefined, overwrite: false };

/**
 * Statements that may look at every row of something, told by a part of their text. What is scanned
 * elsewhere is `page`, `up`, `maker` and `below`, results that a statement has just worked out itself.
 */
const MAY_SCAN: readonly { readonly text: string; readonly why: string }[] = [
  { text: "FROM user ORDER BY username", why: "accounts are few, and a command lists them all" },
  {
    text: "SELECT count(*) AS clients FROM known_client",
    why: "100,000 rows at most, and after a password was verified, which takes far longer",
  },
  { text: "SELECT id FROM ended_key LIMIT 1", why: "it stops at the first" },
  { text: "FROM ended_key e", why: "a key is in it only until what it made is removed" },
  { text: "SELECT 1 FROM user LIMIT 1", why: "it stops at the first" },
  { text: "SELECT 1 FROM damaged_content LIMIT 1", why: "it stops at the first" },
  { text: "FROM (SELECT * FROM blob ORDER BY pk DESC LIMIT", why: "it takes the newest rows" },
  { text: "SELECT count(*) AS clients FROM oauth_client", why: "5,000 rows at most" },
  { text: "FROM oauth_client WHERE used = 0 ORDER BY expires_at LIMIT", why: "it takes the oldest rows" },
  { text: "FROM known_client ORDER BY used_at LIMIT", why: "it takes the oldest rows" },
  {
    text: "FROM folder_work ORDER BY pk",
    why: "those that a crash cut off are few, and it runs at the start",
  },
  { text: "FROM sqlite_sequence", why: "a row for each table with numbers that never come again: one" },
  { text: "FROM webhook WHERE disabled_at IS NULL", why: "it runs at the start, for all of them" },
  { text: "SELECT DISTINCT webhook FROM webhook_delivery", why: "it runs at the start, for all that wait" },
  { text: "DELETE FROM snapshot", why: "works on folders that name it are few" },
  {
    text: "INDEXED BY trash_age WHERE state = 'kept' ORDER BY deleted_at LIMIT 1",
    why: "it stops at the first that is kept; the others are emptied soon",
  },
  { text: "sum(released_size)", why: "it runs only while the disk is short of space" },
  { text: "INSERT INTO trash (id", why: "works of folders, which may name an entry, are few" },
  { text: "DELETE FROM document_retry", why: "all of them go when a new index is made" },
  { text: "DELETE FROM trash WHERE", why: "works of folders, which may name an entry, are few" },
  { text: "FROM damaged_content c CROSS JOIN", why: "damaged contents are few" },
  { text: "FROM json_each(?) c CROSS JOIN file", why: "the files that one step of the indexer names" },
  { text: "json_each(:otherTags)", why: "the tags that one request asks for" },
  { text: "json_each(:tags)", why: "the tags that one request asks for, and those of one file" },
];
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

test("every statement finds its rows by an index", async () => {
  await using opened = await openOwnServices();
  const scans: [string, string][] = [];
  for (const text of textsOf(opened)) {
    for (const detail of planOf(opened, text)) {
      const scan = detail.startsWith("SCAN ") && !OWN_RESULT.test(detail);
      if (scan && !MAY_SCAN.some((exception) => text.includes(exception.text))) scans.push([detail, text]);
    }
  }
  expect(scans).toEqual([]);
});

test("one file's past is not looked for in all that snapshots hold", async () => {
  await using opened = await openOwnServices();
  const slow = textsOf(opened).filter((text) =>
    planOf(opened, text).some((detail) => / held_\w+_until \(drive=\? AND until>\?\)/.test(detail)),
  );
  expect(slow).toEqual([]);
});

test("pages come in the order of an index, from statements that are planned only once", async () => {
  await using opened = await openOwnServices();
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

type Work = (services: Services, filled: Filled) => unknown;

const COSTS: readonly { readonly name: string; readonly work: Work }[] = [
  { name: "looking up a key", work: (services, { key }) => services.apiKeys.authenticate(key) },
  { name: "showing a drive", work: (services, { caller, drive }) => services.drives.get(caller, drive) },
  {
    name: "showing a file",
    work: (services, { caller, first }) => services.files.get(caller, { id: first }),
  },
  {
    name: "showing a file at a path",
    work: (services, { caller, drive }) => services.files.get(caller, { drive, path: "many/0000500.txt" }),
  },
  {
    name: "page 1 of a drive",
    work: (services, { caller, drive }) => services.listings.list(caller, { ...list, driveId: drive }),
  },
  {
    name: "page 1 of its top level",
    work: (services, { caller, drive }) =>
      services.listings.list(caller, { ...list, driveId: drive, grouped: true }),
  },
  {
    name: "page 1 of a full folder",
    work: (services, { caller, drive }) => services.listings.list(caller, { ...fullFolder, driveId: drive }),
  },
  ...FILE_SORTS.map((sort) => ({
    name: `page 1 of a full folder, by ${sort}`,
    work: (services: Services, { caller, drive }: Filled) =>
      services.listings.list(caller, { ...fullFolder, driveId: drive, sort }),
  })),
  {
    name: "the page after a cursor, backwards",
    work: (services, { caller, drive }) =>
      services.listings.list(caller, {
        ...fullFolder,
        driveId: drive,
        sort: "-path",
        after: { file: { sort: "-path", path: "many/0000500.txt" }, folder: null },
      }),
  },
  // All files of this folder have one size and one time, so it is the ids that decide.
  ...(["size", "-size", "updated_at", "-updated_at"] as const).map((sort) => ({
    name: `the page after a cursor, by ${sort}`,
    work: (services: Services, { caller, drive, first }: Filled) => {
      const file = services.files.get(caller, { id: first });
      const after = { file: positionOf(sort, { ...file, id: middleId(first) }), folder: null };
      return services.listings.list(caller, { ...fullFolder, driveId: drive, sort, after });
    },
  })),
  {
    name: "the page after a cursor",
    work: (services, { caller, drive }) =>
      services.listings.list(caller, {
        ...list,
        driveId: drive,
        after: { file: { sort: "path", path: "many/0000500.txt" }, folder: null },
      }),
  },
  {
    name: "page 1 of a folder that is full of folders",
    work: (services, { caller, drive }) =>
      services.listings.list(caller, { ...fullOfFolders, driveId: drive }),
  },
  {
    name: "its page after a cursor",
    work: (services, { caller, drive }) => {
      const after = { file: null, folder: "folders/500/" };
      return services.listings.list(caller, { ...fullOfFolders, driveId: drive, after });
    },
  },
  {
    name: "page 1 of the folders in a full folder",
    work: (services, { caller, drive }) =>
      services.folders.list(caller, { ...folderList, driveId: drive, path: "folders/" }),
  },
  {
    name: "the page of folders after a cursor",
    work: (services, { caller, drive }) =>
      services.folders.list(caller, {
        ...folderList,
        driveId: drive,
        path: "folders/",
        after: "folders/500/",
      }),
  },
  {
    name: "page 1 of many links",
    work: async (services, { caller, drive }) => {
      const { links } = await services.linkLists.list(caller, { drive, limit: 50, after: null });
      expect(links).toHaveLength(50);
    },
  },
  {
    name: "packing one folder of many",
    work: async (services, { caller, drive }) => {
      const archive = services.archives.open(caller, "127.0.0.1", drive, ["first.txt", "few/"]);
      for await (const piece of archive.pieces()) expect(piece.length).toBeGreaterThan(0);
    },
  },
  {
    name: "previewing the deletion of a full folder",
    work: (services, { caller, drive }) => services.folders.preview(caller, drive, "many/"),
  },
  { name: "uploading a file", work: (services, filled) => upload(services, filled, "many/new.txt") },
  {
    name: "downloading a file",
    work: async (services, { caller, first }) => {
      const content = await services.files.content(services.files.get(caller, { id: first }));
      expect(await content.text()).toBe("content of first.txt");
    },
  },
  {
    name: "copying a file",
    work: (services, { caller, first }) =>
      services.files.copy(caller, { id: first }, { ...to, path: "many/copy.txt" }, UNCONDITIONAL),
  },
  {
    name: "moving a file",
    work: (services, { caller, first }) =>
      services.files.move(caller, { id: first }, { ...to, path: "a/b.txt" }, UNCONDITIONAL),
  },
  {
    name: "moving a folder",
    work: (services, { caller, drive }) =>
      services.folders.move(caller, drive, "folders/7/", { driveId: undefined, path: "many/7/" }),
  },
  {
    name: "copying a folder",
    work: (services, { caller, drive }) =>
      services.folders.copy(caller, drive, "folders/8/", { driveId: undefined, path: "many/8/" }),
  },
  {
    name: "deleting a file",
    work: (services, { caller, first }) => services.files.remove(caller, { id: first }, UNCONDITIONAL),
  },
  {
    name: "deleting the drive",
    work: (services, { caller, drive }) => services.drives.remove(caller, drive),
  },
];

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
      for (const { name, work } of COSTS) {
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
    }
  },
);
