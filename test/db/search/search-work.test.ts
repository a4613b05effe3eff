import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../../src/db/engine/database.ts";
import { SearchFinder } from "../../../src/db/search/finder.ts";
import { type IndexChanges, IndexFile } from "../../../src/db/search/index-file.ts";
import { indexPathOf } from "../../../src/db/search/index-tables.ts";
import type { SearchFilters, SearchFound } from "../../../src/db/search/request.ts";
import { openTables } from "../../../src/db/tables.ts";
import { type IndexBatchId, type DrivePk, type FilePk, newId } from "../../../src/domain/id.ts";
import type { FilePath } from "../../../src/domain/files/path.ts";
import { nameTokens, textTokens } from "../../../src/domain/search/tokens.ts";
import { Vocabulary } from "../../../src/domain/search/vocabulary.ts";
import { spellingsIn } from "../../../src/domain/search/words.ts";
import { searchRequest } from "../../support/samples/search-request.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";

/** So many drives that the first gets the smallest share of what a search may read. All others are empty. */
const DRIVES = 20;
/** What a search may read in one of so many drives: its most rows, thrice for starts of words, and better files. */
const MOST_ROWS = 47_000;

/** How many of the files are old, and of another type: more than a search looks at because of a filter. */
const OLD = 1100;

interface Row {
  readonly filename: string;
  readonly text: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly size: number;
}

/** A database with indexed files in its first drive. */
async function filledWith(rows: readonly Row[]) {
  await using closing = new AsyncDisposableStack();
  const { database, path } = closing.use(await openDatabase(FAST_DIRECTORY));
  const drives = await database.write(() => addDrives(database));
  const [drive] = drives;
  if (drive === undefined) throw new Error("there is no drive");
  const batch = newId<IndexBatchId>(0);
  await database.write(() => openTables(database).searchJobs.restart(batch));
  const index = await IndexFile.make(indexPathOf(path), batch);
  for (let from = 0; from < rows.length; from += 5000) {
    const changes = await database.write(() => addFiles(database, drive, rows.slice(from, from + 5000)));
    index.write({ id: batch, previous: batch }, changes);
  }
  index.close(batch);
  await database.close();
  const sql = closing.use(new Sqlite(path, { readonly: true, strict: true }));
  const finder = new SearchFinder(sql);
  const owned = closing.move();
  return {
    /** Searches all drives; what was found, and the rows that were read. */
    find: async (query: string, filters: Partial<SearchFilters> = {}, limit = 50) => {
      const before = finder.rows;
      const request = searchRequest(drives, query);
      const given = { filters: { ...request.filters, ...filters }, limit, budget: 60_000 };
      const found = await finder.find({ ...request, ...given });
      return { ...found, rows: finder.rows - before };
    },
    /** The filenames of what was found, in order of their names. */
    names: ({ hits }: SearchFound): string[] => {
      const filename = sql.prepare<{ filename: string }, [FilePk]>("SELECT filename FROM file WHERE pk = ?");
      return hits.map(({ file }) => filename.get(file)?.filename ?? "").toSorted();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function addDrives({ sql }: Database): DrivePk[] {
  const add = sql.query<{ pk: DrivePk }, [string, string]>(
    "INSERT INTO drive (id, name, description, created_at, updated_at) VALUES (?, ?, '', 0, 0) RETURNING pk",
  );
  const drives = Array.from({ length: DRIVES }, (_, n) => add.all(`drive-${n}`, `Drive ${n}`)).flat();
  sql.run("INSERT INTO folder (pk, drive, path, created_at) VALUES (1, 1, '', 0)");
  sql.run("INSERT INTO blob (pk, digest, size) VALUES (1, 'digest', 1)");
  return drives.map(({ pk }) => pk);
}

/** Inside a write. Returns what belongs into the index. */
function addFiles(database: Database, drive: DrivePk, rows: readonly Row[]): IndexChanges {
  const add = database.sql.query<
    { pk: FilePk; path: FilePath },
    [string, DrivePk, string, string, string, number, string]
  >(
    `INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                       created_at, updated_at)
     VALUES (?, ?, 1, ?, ?, ?, 0, ?, 1, ?, '{}', 0, 0) RETURNING pk, path`,
  );
  const files = rows.map((row) => {
    const { filename, type, size, tags } = row;
    const file = add.get(filename, drive, filename, filename, type, size, JSON.stringify(tags));
    if (file === null) throw new Error("a file was not added");
    return { ...row, ...file };
  });
  database.sql.run("DELETE FROM search_job");
  const vocabulary = new Vocabulary();
  const tokensOf = (text: string) => textTokens(drive, spellingsIn(text), vocabulary);
  return {
    names: files.map((file) => ({ file: file.pk, tokens: nameTokens(drive, file) })),
    texts: files.map((file) => ({ file: file.pk, slices: [tokensOf(file.text)] })),
    gone: [],
  };
}

/** One of many files: every second one has other words, another type and another tag. */
function oneOfMany(n: number): Row {
  const kind = n % 2 === 0 ? "even" : "odd";
  return {
    filename: `many ${n}.txt`,
    text: `common words are ${kind} start${n}`,
    type: n % 2 === 0 ? "text/even" : "text/odd",
    tags: ["all", kind],
    size: 4000,
  };
}

const KINDS: [name: string, query: string, filters: Partial<SearchFilters>][] = [
  ["a rare word", "rare", {}],
  ["a word in every file", "common", {}],
  ["two words in every file", "common words", {}],
  ["two words that no file has both", "even odd", {}],
  [
    "many words that no file has all",
    `${Array.from("abcdefg", (c) => `even odd common words${c}`).join(" ")} rare`,
    {},
  ],
  ["phrases that no file has all", '"even start1" "odd common" "words are" "common words"', {}],
  ["a question", "how are the words even common", {}],
  ["two letters", "co", {}],
  ["a word in every filename", "many", {}],
  ["a phrase in every file", '"common words"', {}],
  ["a phrase in no file, of words in every file", '"words common"', {}],
  ["the start of a word that differs in every file", "start", {}],
  ["a rare word and such a start", "rare start", {}],
  ["a phrase with such an end", "odd-start", {}],
  ["a phrase with such an end in no file", "common-start", {}],
  ["a tag", "", { tags: ["all"] }],
  ["two tags that no file has both", "", { tags: ["even", "odd"] }],
  ["a word in every file, and two such tags", "common", { tags: ["even", "odd"] }],
  ["a type that no file with the tag has", "", { tags: ["even"], mimeType: "text/odd" }],
  ["a type that no file has", "", { mimeType: "audio/" }],
  ["a type that no file has, and a word in every file", "common", { mimeType: "audio/" }],
  ["a size that no file has", "", { minSize: 20_000 }],
  ["a size that no file has, and a word in every file", "common", { maxSize: 10 }],
];

describe.each([2000, 20_000])("of %p files a search reads a bounded number of rows", (count) => {
  let filled: Awaited<ReturnType<typeof filledWith>>;

  beforeAll(async () => {
    const rare = { ...oneOfMany(0), filename: "rare.txt", text: "rare starting words" };
    const old = (n: number) => ({ ...oneOfMany(0), filename: `old ${n}.txt`, type: "text/old" });
    filled = await filledWith([
      rare,
      ...Array.from({ length: OLD }, (_, n) => old(n)),
      ...Array.from({ length: count - OLD }, (_, n) => oneOfMany(n)),
    ]);
  });

  afterAll(() => filled[Symbol.asyncDispose]());

  test.each(KINDS)("for %s", async (_, query, filters) => {
    const { rows } = await filled.find(query, filters);
    expect(rows).toBeLessThan(MOST_ROWS);
  });

  test("and finds some that pass a filter, even where all are old", async () => {
    for (const query of ["", "common"]) {
      const { total, isExact } = await filled.find(query, { mimeType: "text/old" });
      expect([query, total >= 100, isExact && count > 2000]).toEqual([query, true, false]);
    }
  });

  test("and finds a rare word among frequent ones that no file has all", async () => {
    const found = await filled.find("common even odd rare zebra");
    const best = { ...found, hits: found.hits.slice(0, 1) };
    expect([filled.names(best), found.isRelaxed]).toEqual([["rare.txt"], true]);
  });

  test("and says whether it found all", async () => {
    const asked = [
      await filled.find("rare"),
      await filled.find("", { mimeType: "audio/" }),
      await filled.find('"words common"'),
      await filled.find("", { tags: ["even", "odd"] }),
    ];
    const isSmall = count === 2000;
    expect(asked.map(({ total, isExact }) => [total, isExact])).toEqual([
      [1, true],
      [0, true],
      [0, isSmall],
      [0, isSmall],
    ]);
  });
});

/** A text with the words of a phrase in very many places, but never in its order. */
function crafted(n: number): Row {
  return {
    filename: `${n}.txt`,
    text: `${"again ".repeat(15)}other `.repeat(300),
    type: "text/plain",
    tags: [],
    size: 32_768,
  };
}

test("the positions that a phrase compares are counted as what is read", async () => {
  await using filled = await filledWith(Array.from({ length: 60 }, (_, n) => crafted(n)));
  const { rows, total, isExact } = await filled.find(`"${"again ".repeat(16)}"`);
  expect([total, isExact, rows < MOST_ROWS]).toEqual([0, false, true]);
  expect(await filled.find('"again other again"')).toMatchObject({ total: 60, isExact: true });
});

test("a phrase is found in exactly the files that have it", async () => {
  const words = ["ka", "to", "mi"];
  // All texts of four of these words, each twice, in an order that mixes them.
  const texts = Array.from({ length: 162 }, (_, n) =>
    [1, 3, 9, 27].map((place) => words[Math.floor(((n * 61) % 81) / place) % 3]).join(" "),
  );
  await using filled = await filledWith(
    texts.map((text, n) => ({ filename: `${n}.txt`, text, type: "text/plain", tags: [], size: 12 })),
  );
  const pairs = words.flatMap((one) => words.map((two) => `${one} ${two}`));
  const triples = pairs.flatMap((pair) => words.map((word) => `${pair} ${word}`));
  for (const phrase of [...pairs, ...triples]) {
    const expected = texts.flatMap((text, n) => (text.includes(phrase) ? [`${n}.txt`] : [])).toSorted();
    const found = await filled.find(`"${phrase}"`, {}, 200);
    expect([phrase, filled.names(found), found.isExact]).toEqual([phrase, expected, true]);
  }
});

function scan(n: number): string {
  return `scan${String(n).padStart(9, "0")}.txt`;
}

test("a numbered name is found among others without reading those that share some of its digits", async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ ...crafted(n), filename: scan(n), text: "x" }));
  await using filled = await filledWith(rows);
  for (const n of [1234, 10_505, 17_177]) {
    const found = await filled.find(scan(n).replace(".txt", ""));
    expect([filled.names(found), found.isExact]).toEqual([[scan(n)], true]);
    expect(found.rows).toBeLessThan(1500);
  }
});
