import { Database as Sqlite } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flipped, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { stoppedStore } from "../support/faults/stopped-store.ts";
import { verified } from "../support/faults/verified.ts";
import { fileOf } from "../support/samples/contents.ts";
import { refusalOf } from "../support/samples/failure.ts";

const store = await stoppedStore();
afterAll(() => store[Symbol.asyncDispose]());

test("a whole store: nothing is found, and the database is not changed", async () => {
  const dataDir = await store.copied();
  const before = await readFile(join(dataDir, "coffer.db"));
  expect(await verified(dataDir)).toEqual([]);
  expect(Buffer.compare(await readFile(join(dataDir, "coffer.db")), before)).toBe(0);
});

/** By code: what is said of a change, and the statements that make it. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  "counter-wrong": {
    'the files of folder "a/".*says 7, and has 2': "UPDATE folder SET file_count = 7 WHERE path = 'a/'",
    'the bytes of folder ""': "UPDATE folder SET total_size = total_size + 1 WHERE path = ''",
    'the files directly inside of folder "a/b/"': "UPDATE folder SET own_file_count = 0 WHERE path = 'a/b/'",
    'the folders directly inside of folder "a/"': "UPDATE folder SET own_folder_count = 0 WHERE path = 'a/'",
    "the references to content": "UPDATE blob SET refs = refs + 1 WHERE size = 100000",
    "the released bytes of drive.*says 9, and has 8": "UPDATE drive SET released_size = 9",
    "the references to content.*says 0, and has 1":
      "UPDATE blob SET refs = 0 WHERE pk = (SELECT blob FROM file_version)",
    "the kept bytes of drive.*says 19, and has 18": "UPDATE drive SET kept_size = 19",
    "the bytes that snapshots hold of drive": "UPDATE drive SET held_size = 19",
    "the bytes of kept records of drive": "UPDATE drive SET kept_records = 19",
    "the rows that keep content": "UPDATE kept_content SET rows = rows + 1 WHERE size = 6",
    "the rows that keep content ": "UPDATE kept_content SET live = 1 WHERE size = 6",
    "the size of trash entry .*says 7, and has 12": "UPDATE trash SET size = 7",
    "the number of files of trash entry": "UPDATE trash SET file_count = 0",
    "the number of the content of file": "UPDATE file_version SET version = 2",
    "the bytes of records of drive": "UPDATE drive SET record_size = record_size - 512",
    "the bytes of kept responses of owner somebody: it says 7, and has 0":
      "INSERT INTO idempotency_use VALUES ('somebody', 7)",
    "the bytes of kept responses of owner somebody: it says 0, and has 258": [
      "INSERT INTO idempotency_record (name, owner, sealed, expires_at) VALUES ('n', 'somebody', x'0102', 1)",
      "DELETE FROM idempotency_use",
    ],
    "the changes of drive .*says 99": "UPDATE drive SET change_count = 99",
    "the size of version 1 of file.*says 7, and has 6": "UPDATE file_version SET size = 7",
  },
  "tree-wrong": {
    'trash entry .* of "deleted.txt".*its state': "UPDATE trash SET state = 'filling'",
    'of "deleted.txt".*in the trash, and in a drive as well':
      "UPDATE trash_file SET file_id = (SELECT id FROM file WHERE path = 'a/large.bin')",
    'file "a/b/small.txt"': [
      "UPDATE folder SET own_file_count = 0, file_count = 0, total_size = 0 WHERE path = 'a/b/'",
      "UPDATE folder SET own_file_count = 2 WHERE path = 'a/'",
      "UPDATE file SET folder = (SELECT pk FROM folder WHERE path = 'a/') WHERE path = 'a/b/small.txt'",
    ],
  },
  "snapshot-wrong": {
    '"a/gone.bin".*no snapshot needs it': `INSERT INTO held_file (drive, parent, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                            created_at, updated_at, version, era, until)
     SELECT drive, 'a/', 'a/gone.bin', id, filename, mime_type, mime_given, size, blob, tags, metadata, created_at, updated_at,
            version, 0, 1 FROM file WHERE path = 'a/large.bin'`,
    '"a/large.bin".*after the newest snapshot': "UPDATE file SET era = 1 WHERE path = 'a/large.bin'",
  },
  "tag-wrong": {
    '"two" of file "a/large.bin".*not in the list':
      "DELETE FROM file_tag WHERE tag = 'two' AND path = 'a/large.bin'",
    '"odd" of file.*does not have it':
      "INSERT INTO file_tag (drive, tag, path, file) VALUES (1, 'odd', 'a/large.bin', 2)",
  },
  "record-wrong": {
    'file "a/large.bin".*other times than it has':
      "UPDATE file SET created_text = '' WHERE path = 'a/large.bin'",
    'file "a/b/small.txt".*other times than it has':
      "UPDATE file SET updated_text = '' WHERE path = 'a/b/small.txt'",
  },
  "index-missing": {
    'file "a/large.bin"':
      "DELETE FROM search_name WHERE rowid = (SELECT pk FROM file WHERE path = 'a/large.bin')",
    'the text of file "a/b/small.txt"':
      "DELETE FROM search_text WHERE rowid = 32 * (SELECT pk FROM file WHERE path = 'a/b/small.txt')",
  },
  "index-orphan": {
    "the names of file number 99:": "INSERT INTO search_name (rowid, tokens) VALUES (99, 'word')",
    "the text of file number 99:": "INSERT INTO search_text (rowid, tokens) VALUES (99 * 32 + 1, 'word')",
    "a job for file number 99:": "INSERT INTO search_job (file, parts, drive) VALUES (99, 1, 1)",
  },
  "row-missing": {
    "api_key: it names a row of drive": "UPDATE api_key SET drive = 99",
  },
  "store-mismatch": {
    "belongs to store": "UPDATE store SET id = 'another'",
  },
};
/** What is wrong with what a snapshot holds, and how it comes to that. */
const HELD_CHANGES: Readonly<Record<string, readonly [says: RegExp, statement: string]>> = {
  "the size of a file": [
    /counter-wrong the size of file .* in snapshots/,
    "UPDATE held_file SET size = size + 1",
  ],
  "the bytes of all": [
    /counter-wrong the bytes of snapshot/,
    "UPDATE held_folder SET total_size = 7 WHERE path = ''",
  ],
  "the folder of a file": [
    /snapshot-wrong "a\/large.bin".*in another folder/,
    "UPDATE held_file SET parent = ''",
  ],
  "the folder of a folder": [
    /snapshot-wrong "a\/".*in another folder/,
    "UPDATE held_folder SET parent = 'b/' WHERE path = 'a/'",
  ],
};
test.each(Object.entries(HELD_CHANGES))("what is held for a snapshot: %s", async (_, [says, statement]) => {
  const dataDir = await store.copied();
  changeDatabase(
    dataDir,
    `INSERT INTO snapshot (id, drive, number, name, is_automatic, file_count, total_size, created_at)
     SELECT 's', drive, 1, 'x', 0, 0, 0, 0 FROM file WHERE path = 'a/large.bin'`,
    "UPDATE drive SET era = 1",
    "UPDATE file SET mime_given = 1 - mime_given WHERE path = 'a/large.bin'",
    "UPDATE folder SET file_count = file_count WHERE path IN ('', 'a/')",
  );
  expect(await verified(dataDir)).toEqual([]);
  changeDatabase(dataDir, statement);
  expect((await verified(dataDir)).join("\n")).toMatch(says);
});

const changes = Object.entries(CHANGES).flatMap(([code, all]) =>
  Object.entries(all).map(([says, made]) => [code, new RegExp(says), [made].flat()] as const),
);
test.each(changes)("%s: %s", async (code, says, statements) => {
  const dataDir = await store.copied();
  changeDatabase(dataDir, ...statements);
  const [first, ...others] = await verified(dataDir);
  expect(first).toStartWith(`${code} `);
  expect(first).toMatch(says);
  // What was changed breaks nothing else.
  expect(others).toEqual([]);
});

test("index-corrupt: the search index has other bytes", async () => {
  const dataDir = await store.copied();
  const path = join(dataDir, "search.db");
  using sql = new Sqlite(path, { readonly: true });
  const blocks = sql
    .query<{ block: Uint8Array }, []>("SELECT block FROM search_name_data WHERE id > 10")
    .all();
  const bytes = await readFile(path);
  const found = blocks.map(({ block }) => ({ at: bytes.indexOf(block), length: block.length }));
  const { at, length } = found.find((each) => each.at > 0 && each.length > 40) ?? { at: 0, length: 0 };
  bytes.fill(0xff, at + 10, at + length - 10);
  await writeFile(path, bytes);
  expect(await verified(dataDir)).toEqual([expect.stringMatching(/^index-corrupt .*search_name/)]);
});

test("index-corrupt: the search index is no database", async () => {
  const dataDir = await store.copied();
  await writeFile(join(dataDir, "search.db"), "x".repeat(10_000));
  expect(await verified(dataDir)).toEqual([expect.stringMatching(/^index-corrupt .*search.db is damaged/)]);
});

test("a search index that is missing, or not filled yet, is no finding: the server makes it", async () => {
  const dataDir = await store.copied();
  changeDatabase(
    dataDir,
    "UPDATE search_index SET filled_to = 0",
    "DELETE FROM search_name",
    "DELETE FROM search_text",
  );
  expect(await verified(dataDir)).toEqual([]);
  await rm(join(dataDir, "search.db"));
  expect(await verified(dataDir)).toEqual([]);
});

test("database-corrupt: a page of the file has other bytes", async () => {
  const dataDir = await store.copied();
  const path = join(dataDir, "coffer.db");
  const bytes = await readFile(path);
  bytes.fill(0xa5, 40 * 4096, 60 * 4096);
  await writeFile(path, bytes);
  expect(await verified(dataDir)).toContainEqual(expect.stringMatching(/^database-corrupt /));
});

test("a deleted drive is emptied without counting", async () => {
  const dataDir = await store.copied();
  changeDatabase(dataDir, "UPDATE drive SET deleted_at = 1", "UPDATE folder SET file_count = 9");
  expect(await verified(dataDir)).toEqual([]);
});

test("names that do not belong, and contents of no file, are only notes", async () => {
  const dataDir = await store.copied();
  const stray = sampleBytes(10, 99);
  const path = fileOf(dataDir, Bun.SHA256.hash(stray, "hex"));
  for (const directory of [dirname(path), join(dataDir, "blobs/00"), join(dataDir, "blobs/other")]) {
    await mkdir(directory, { recursive: true });
  }
  await writeFile(path, stray);
  expect(await verified(dataDir)).toEqual([expect.stringContaining("other is not a file")]);
  await utimes(path, 0, 0);
  await writeFile(join(dataDir, "blobs/00/README"), "somebody's own");
  const notes = await verified(dataDir);
  expect(notes).toHaveLength(3);
  for (const note of [/README is not a/, /belongs to no file; the server removes/, /other is not a/]) {
    expect(notes).toContainEqual(expect.stringMatching(note));
  }
});

function insertWork(kind: string, columns: string, values: string): string {
  return `INSERT INTO folder_work (kind, drive, path, top, created_at, ${columns})
          SELECT '${kind}', pk, 'a/', 'a/', 0, ${values} FROM drive LIMIT 1`;
}

test("a change of a folder that has not ended is only a note, which says how far it is", async () => {
  const dataDir = await store.copied();
  changeDatabase(
    dataDir,
    insertWork("copy", "to_drive, to_path, to_top, files_done, files_total", "pk, 'b/', 'b/', 3, 7"),
    insertWork("remove", "files_done, undone", "2, 0"),
    insertWork("remove", "files_done, files_total, undone", "1, 4, 1"),
  );
  const drive = String.raw`drive [\da-f-]{36}`;
  expect(await verified(dataDir)).toEqual(
    [
      `^note a copy of "a/" in ${drive} to "b/" in ${drive} is under way: 3 of 7 files are done; .* takes it back$`,
      `^note a deletion of "a/" in ${drive} is under way: 2 files are done; .* goes on with it$`,
      `^note a deletion of "a/" in ${drive} is being given up: 1 of 4 files are done; .* goes on with that$`,
    ].map((line) => expect.stringMatching(new RegExp(line))),
  );
});

test("quick: a wrong size is found, wrong bytes are not", async () => {
  const dataDir = await store.copied();
  await writeFile(fileOf(dataDir, store.large.digest), flipped(store.large.content));
  expect(await verified(dataDir, { depth: "sizes" })).toEqual([]);
  await writeFile(fileOf(dataDir, store.large.digest), "short");
  expect(await verified(dataDir, { depth: "sizes" })).toHaveLength(1);
});

test("damage of a content that only the trash has is found, with the file's path there", async () => {
  const dataDir = await store.copied();
  const bytes = new TextEncoder().encode("in the trash");
  changeDatabase(
    dataDir,
    `UPDATE small_content SET bytes = CAST('I' || substr(bytes, 2) AS BLOB)
      WHERE blob = (SELECT pk FROM blob WHERE digest = '${Bun.SHA256.hash(bytes, "hex")}')`,
  );
  expect(await verified(dataDir)).toEqual([
    expect.stringMatching(/^content-damaged .* path "deleted.txt" \(in the trash\): /),
  ]);
});

test("a database of another schema is refused, with what to do", async () => {
  const dataDir = await store.copied();
  changeDatabase(
    dataDir,
    "DELETE FROM schema_migration WHERE version = (SELECT max(version) FROM schema_migration)",
  );
  expect(await refusalOf(verified(dataDir))).toMatch(/schema version \d+, and this executable reads version/);
});
