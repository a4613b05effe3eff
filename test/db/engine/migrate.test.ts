import { Database as Sqlite } from "bun:sqlite";
import { testWith } from "../../support/server/test-with.ts";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { isTextType } from "../../../src/domain/contents/media-type.ts";
import { parseId } from "../../../src/domain/id.ts";
import { migrate, type Upgrade } from "../../../src/db/engine/opening.ts";
import type { Migration } from "../../../src/db/engine/migration-files.ts";
import { MIGRATIONS } from "../../../src/db/engine/migrations.ts";
import { VERSION } from "../../../src/process/version.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

function migration(version: number, name: string, sql: string): Migration {
  return { version, name, sql };
}

const FIRST = migration(1, "first", "CREATE TABLE a (x INTEGER) STRICT;");
const SECOND = migration(2, "second", "CREATE TABLE b (y INTEGER) STRICT; INSERT INTO a VALUES (1);");
const clock = new FakeClock();

function refuseUpgrade(): never {
  throw new Error("no room");
}

/** Everything in the schema, and what the books say was applied. */
function stateOf(sql: Sqlite): { tables: unknown[]; applied: unknown[] } {
  const tables = sql.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").values();
  const applied = sql
    .query("SELECT version, name, applied_at FROM schema_migration ORDER BY version")
    .values();
  return { tables: tables.flat(), applied };
}

const DRIVE = `INSERT INTO drive (pk, id, name, description, created_at, updated_at) VALUES (1, 'd', 'D', '', 0, 0);`;
const USERS = "INSERT INTO user (pk, id, username, plan, created_at) VALUES (1, 'u', 'ada', 'free', 0)";
const KEY = `INSERT INTO api_key (id, hash, prefix, name, scope, user, created_at)
             VALUES ('k', 'h', 'p', '', 'read-only', 1, 0);`;
const ADAS_DRIVE = `INSERT INTO drive (pk, id, user, name, slug, description, created_at, updated_at)
                    VALUES (1, 'd', 1, 'D', 'ada/d', '', 0, 0);`;

/** The second column of rows by their first, which no two have alike. */
function pairs(sql: Sqlite, query: string): unknown {
  return Object.fromEntries(sql.query(query).values());
}

/** A file of the drive, of a content and with two tags. */
function fileRow(pk: number, metadata = "{}"): string {
  return `INSERT INTO file (pk, id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                            created_at, updated_at)
          VALUES (${pk}, 'f${pk}', 1, 1, 'f${pk}', 'f', 'text/plain', 0, 10, ${pk}, '["red","blue"]', '${metadata}', 0, 7);`;
}

/** A database that got these rows before the step of a name, and then every other step. */
function upgraded(step: string, rows: string): Sqlite {
  const sql = new Sqlite(":memory:");
  sql.run("PRAGMA foreign_keys = ON");
  const before = MIGRATIONS.findIndex(({ name }) => name === step);
  expect(before).toBeGreaterThan(0);
  migrate(sql, MIGRATIONS.slice(0, before), clock);
  sql.run(rows);
  migrate(sql, MIGRATIONS, clock);
  return sql;
}

const it = testWith(() => new Sqlite(":memory:"));

it("a fresh database gets every step, in order", (sql) => {
  migrate(sql, [FIRST, SECOND], clock);
  expect(stateOf(sql)).toEqual({
    tables: ["a", "b", "schema_migration"],
    applied: [
      [1, "first", clock.now()],
      [2, "second", clock.now()],
    ],
  });
});

it("a second run changes nothing, a newer executable adds only what is new", (sql) => {
  migrate(sql, [FIRST], clock);
  sql.run("INSERT INTO a VALUES (7)");
  migrate(sql, [FIRST], clock);
  migrate(sql, [FIRST, SECOND], clock);
  migrate(sql, [FIRST, SECOND], clock);
  expect(sql.query("SELECT x FROM a ORDER BY x").values()).toEqual([[1], [7]]);
});

const BROKEN = migration(3, "broken", "CREATE TABLE c (z INTEGER); INSERT INTO nowhere VALUES (1);");
const LARGE = migration(2, "large", "CREATE TABLE c (z BLOB); INSERT INTO c VALUES (zeroblob(1e6));");
const REFUSED: [what: string, applied: Migration[], known: Migration[], message: RegExp][] = [
  [
    "an edited step",
    [FIRST, SECOND],
    [migration(1, "first", `${FIRST.sql} `), SECOND],
    /Schema version 1 .* differs from the one/,
  ],
  [
    "a schema newer than the executable",
    [FIRST, SECOND],
    [FIRST],
    /schema version 2, .* knows only versions up to 1.*newer Coffer/,
  ],
  [
    "a step that fails halfway",
    [FIRST],
    [FIRST, SECOND, BROKEN],
    /upgraded to schema version 3: step 3, broken, failed: .*nowhere.* It is as it was before, and the older Coffer can use it/,
  ],
  [
    "a disk that is full amid the steps",
    [FIRST],
    [FIRST, LARGE],
    /schema version 2: .*full\. It is as it was before, .* Free some space/,
  ],
];
test.each(REFUSED)(
  "%s is refused, with what to do, and leaves all as it was",
  (_, applied, known, message) => {
    using sql = new Sqlite(":memory:");
    migrate(sql, applied, clock);
    const before = stateOf(sql);
    sql.run("PRAGMA max_page_count = 20");
    expect(() => migrate(sql, known, clock)).toThrow(message);
    expect([stateOf(sql), sql.inTransaction]).toEqual([before, false]);
    migrate(sql, [FIRST, SECOND], clock);
    expect(stateOf(sql).tables).toEqual(["a", "b", "schema_migration"]);
  },
);

it("only a database that is not new is announced before it is upgraded, and one that may not be stays as it is", (sql) => {
  const announced: string[] = [];
  const announce = ({ from, to }: Upgrade) => void announced.push(`${from} to ${to}`);
  migrate(sql, [FIRST], clock, announce);
  expect(announced).toEqual([]);
  const before = stateOf(sql);
  expect(() => migrate(sql, [FIRST, SECOND], clock, refuseUpgrade)).toThrow("no room");
  expect(stateOf(sql)).toEqual(before);
  migrate(sql, [FIRST, SECOND], clock, announce);
  migrate(sql, [FIRST, SECOND], clock, announce);
  expect(announced).toEqual(["1 to 2"]);
});

it("books that do not name the version of Coffer yet are carried on", (sql) => {
  migrate(sql, [FIRST], clock);
  sql.run("ALTER TABLE schema_migration DROP COLUMN coffer");
  migrate(sql, [FIRST, SECOND], clock);
  expect(sql.query("SELECT coffer FROM schema_migration").values()).toEqual([[null], [VERSION]]);
  sql.run("UPDATE schema_migration SET coffer = '9.8.7'");
  expect(() => migrate(sql, [FIRST], clock)).toThrow("a newer Coffer, 9.8.7:");
});

/** The schema, with triggers in the order in which they fire, and all rows. */
function wholeOf(sql: Sqlite): unknown {
  const schema =
    "SELECT name, type, tbl_name, sql FROM sqlite_schema ORDER BY type, iif(type = 'trigger', rowid, name)";
  const parts = sql.query<{ name: string; type: string }, []>(schema).all();
  const tables = parts.filter(({ type }) => type === "table").map(({ name }) => name);
  return [parts, tables.map((name) => [name, sql.query(`SELECT * FROM "${name}"`).all()])];
}

test("a new database is the same as one that got every step", async () => {
  await using opened = await openDatabase();
  using migrated = new Sqlite(":memory:");
  migrate(migrated, MIGRATIONS, clock);
  using made = new Sqlite(opened.path);
  expect(wholeOf(made)).toEqual(wholeOf(migrated));
});

test("two processes that open a new database at once both get it", async () => {
  await using place = await temporaryDirectory();
  const script = `
    import { Database } from ${JSON.stringify(join(import.meta.dir, "../../../src/db/engine/database.ts"))};
    const database = Database.open(process.argv[1], { now: () => 0 });
    database.ping();
    await database.close();`;
  const children = Array.from({ length: 4 }, () =>
    Bun.spawn([process.execPath, "-e", script, join(place.path, "coffer.db")], {
      stdio: ["ignore", "ignore", "pipe"],
    }),
  );
  for (const child of children) expect([await child.stderr.text(), await child.exited]).toEqual(["", 0]);
});

test("the real steps are numbered from 1 without a gap", () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test("the real schema keeps its rules: foreign keys hold and every table is strict", async () => {
  await using opened = await openDatabase();
  const { sql } = opened;
  expect(sql.query("PRAGMA foreign_key_check").all()).toEqual([]);
  const orphan = "INSERT INTO folder (drive, path, created_at) VALUES (99, '', 0)";
  expect(() => sql.run(orphan)).toThrow("FOREIGN KEY");
  const loose =
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'";
  expect(sql.query(loose).values()).toEqual([]);
  const fates = sql.query("SELECT DISTINCT on_delete FROM pragma_foreign_key_list('file')").values();
  // No row of a file goes by itself with what it belongs to: see `Tree`.
  expect(fates).toEqual([["NO ACTION"]]);
});

test("folders from before they knew how many folders are in them are counted", () => {
  using sql = upgraded(
    "folder-children",
    `${DRIVE}
     INSERT INTO folder (pk, drive, parent, path, created_at)
     VALUES (1, 1, NULL, '', 0), (2, 1, 1, 'a/', 0), (3, 1, 1, 'b/', 0), (4, 1, 3, 'b/c/', 0)`,
  );
  const counts = () => pairs(sql, "SELECT path, own_folder_count FROM folder");
  expect(counts()).toEqual({ "": 2, "a/": 0, "b/": 1, "b/c/": 0 });
  sql.run("UPDATE folder SET parent = 2 WHERE pk = 4");
  expect(counts()).toEqual({ "": 2, "a/": 1, "b/": 0, "b/c/": 0 });
});

test("the account that looked after the others for being the first goes on doing so", () => {
  using sql = upgraded("administrators", `${USERS}, (2, 'v', 'bob', 'free', 1)`);
  expect(pairs(sql, "SELECT username, admin FROM user")).toEqual({ ada: "setup", bob: null });
});

test("contents from before it was known who let go of them count for nobody, later ones for their drive", () => {
  using sql = upgraded(
    "released-contents",
    `${DRIVE}
     INSERT INTO folder (pk, drive, path, created_at) VALUES (1, 1, '', 0);
     INSERT INTO blob (pk, digest, size) VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 40);
     ${fileRow(1)} ${fileRow(2)}
     DELETE FROM file WHERE pk = 1`,
  );
  const released = () => sql.query("SELECT released_size FROM drive").values().flat();
  const refs = () => sql.query("SELECT refs FROM blob ORDER BY pk").values().flat();
  expect([refs(), released()]).toEqual([[0, 1, 0], [0]]);
  sql.run("UPDATE file SET blob = 3");
  expect([refs(), released()]).toEqual([[0, 0, 1], [20]]);
  sql.run("DELETE FROM file");
  expect([refs(), released()]).toEqual([[0, 0, 0], [60]]);
  sql.run("DELETE FROM blob WHERE pk = 2");
  expect(released()).toEqual([40]);
  sql.run("DELETE FROM blob WHERE pk = 1");
  expect(released()).toEqual([40]);
});

test("tags from before they were in the order of change are in it, and all is indexed anew", () => {
  using sql = upgraded(
    "search-order",
    `${DRIVE}
     INSERT INTO folder (pk, drive, path, created_at) VALUES (1, 1, '', 0);
     INSERT INTO blob (pk, digest, size) VALUES (1, 'a', 10);
     ${fileRow(1)}
     DELETE FROM search_job`,
  );
  const tags = () => sql.query("SELECT tag, path, updated_at FROM file_tag ORDER BY tag").values();
  expect(tags()).toEqual([
    ["blue", "f1", 7],
    ["red", "f1", 7],
  ]);
  // The index is in a file of its own since: that is new, and gets all files.
  expect(sql.query("SELECT batch, filled_to FROM search_index").values()).toEqual([[null, 0]]);
  sql.run("UPDATE file SET updated_at = 8");
  sql.run(`UPDATE file SET updated_at = 9, path = 'g', tags = '["red"]'`);
  expect(tags()).toEqual([["red", "g", 9]]);
  sql.run("UPDATE file SET updated_at = 10");
  expect(tags()).toEqual([["red", "g", 10]]);
});

test("the records of drives from before they were counted are counted, links of files that are gone are not", () => {
  using sql = upgraded(
    "record-sizes",
    `${USERS};
     ${DRIVE} INSERT INTO drive (pk, id, name, description, created_at, updated_at) VALUES (2, 'e', 'E', '', 0, 0);
     INSERT INTO folder (pk, drive, parent, path, created_at) VALUES (1, 1, NULL, '', 0), (2, 1, 1, 'a/', 0), (3, 2, NULL, '', 0);
     INSERT INTO blob (pk, digest, size) VALUES (1, 'a', 10);
     ${fileRow(1, '{"a":"é"}')}
     INSERT INTO presigned_link (hash, file_id, user, one_time, expires_at, created_at)
     VALUES ('1', 'f1', 1, 0, 9, 0), ('2', 'gone', 1, 0, 9, 0)`,
  );
  const records = () => sql.query("SELECT record_size FROM drive ORDER BY pk").values().flat();
  // Two folders, the file with two tags and ten bytes of metadata, and its link; the root of the other drive.
  const file = 1024 + 2 * 512 + 10;
  expect(records()).toEqual([2 * 1024 + file + 512, 1024]);
  sql.run("UPDATE file SET drive = 2, folder = 3");
  expect(records()).toEqual([2 * 1024 + 512, 1024 + file]);
  sql.run("DELETE FROM presigned_link");
  sql.run(`UPDATE file SET tags = '[]', metadata = '{}'`);
  sql.run("DELETE FROM folder WHERE pk = 2");
  expect(records()).toEqual([1024, 1024 + 1024 + 2]);
  sql.run("DELETE FROM file");
  expect(records()).toEqual([1024, 1024]);
});

test("links from before they were listed get ids of their own", () => {
  const madeAt = Date.parse("2030-01-01T00:00:00.123Z");
  using sql = upgraded(
    "links",
    `${USERS};
     INSERT INTO presigned_link (hash, file_id, user, one_time, used_at, expires_at, created_at)
     VALUES ('a', 'f', 1, 1, 7, 9, ${madeAt}), ('b', 'f', 1, 0, NULL, 9, ${madeAt});
     INSERT INTO upload_link (hash, drive_id, path, user, expires_at, created_at) VALUES ('c', 'd', 'p', 1, 9, ${madeAt})`,
  );
  const ids = sql.query("SELECT id FROM presigned_link UNION SELECT id FROM upload_link").values().flat();
  expect(new Set(ids).size).toBe(3);
  const ofThatTime = Bun.randomUUIDv7("hex", madeAt).slice(0, 13);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(String(id).slice(0, 13)).toBe(ofThatTime);
  }
  const uses = sql.query("SELECT uses, last_used_at FROM presigned_link ORDER BY hash").values();
  expect(uses.flat()).toEqual([1, 7, 0, null]);
});

test("responses that were kept before they counted count for nobody", () => {
  const rows = "INSERT INTO idempotency_record (name, sealed, expires_at) VALUES ('old', x'00', 1)";
  using sql = upgraded("kept-answers", rows);
  const uses = () => pairs(sql, "SELECT owner, size FROM idempotency_use");
  expect(uses()).toEqual({});
  sql.run(
    `INSERT INTO idempotency_record (name, owner, sealed, expires_at)
     VALUES ('a', 'ada', x'00', 1), ('b', 'ada', x'0000', 1), ('c', 'bob', x'', 1)`,
  );
  expect(uses()).toEqual({ ada: 256 + 1 + 256 + 2, bob: 256 });
  sql.run("DELETE FROM idempotency_record WHERE name <> 'a'");
  expect(uses()).toEqual({ ada: 257 });
});

test("keys from before they could expire never do", () => {
  using sql = upgraded("key-expiry", `${USERS}; ${KEY}`);
  expect(sql.query("SELECT id, expires_at FROM api_key").values()).toEqual([["k", null]]);
});

test("members whom a key let in go with it from then on; what keys made that are gone is removed", () => {
  using sql = upgraded(
    "makers-versions-works",
    `${USERS}, (2, 'v', 'bob', 'free', 0), (3, 'w', 'carl', 'free', 0), (4, 'x', 'dan', 'free', 0);
     ${ADAS_DRIVE}
     ${KEY}
     INSERT INTO drive_member (drive, user, role, changes_from, added_by, created_at)
     VALUES (1, 2, 'reader', 0, 'key:k', 0), (1, 3, 'reader', 0, 'key:gone', 0), (1, 4, 'reader', 0, 'user:u', 0);
     INSERT INTO share_link (hash, id, drive_id, path, key_id, expires_at, created_at)
     VALUES ('a', 'a', 'd', '', 'k', 9, 0), ('b', 'b', 'd', '', 'lost', 9, 0)`,
  );
  expect(sql.query("SELECT made_by FROM api_key").values()).toEqual([[null]]);
  expect(pairs(sql, "SELECT user, made_by FROM drive_member")).toEqual({ 2: "k", 3: null, 4: null });
  expect(sql.query("SELECT id FROM ended_key").values()).toEqual([["lost"]]);
  sql.run("DELETE FROM api_key");
  expect(sql.query("SELECT id FROM ended_key ORDER BY id").values()).toEqual([["k"], ["lost"]]);
});

test("editors from before it was stored who made them that stay editors", () => {
  using sql = upgraded(
    "raised-members",
    `${USERS}, (2, 'v', 'bob', 'free', 0);
     ${ADAS_DRIVE}
     INSERT INTO drive_member (drive, user, role, changes_from, created_at) VALUES (1, 2, 'editor', 0, 0)`,
  );
  expect(sql.query("SELECT role, raised_by FROM drive_member").values()).toEqual([["editor", null]]);
});

test("a move that was taken back is a move that is undone, and works from before they were shown have ids", () => {
  using sql = upgraded(
    "makers-versions-works",
    `INSERT INTO drive (pk, id, name, slug, description, created_at, updated_at)
     VALUES (1, 'd', 'D', 'd', '', 0, 0), (2, 'e', 'E', 'e', '', 0, 0);
     INSERT INTO folder_work (pk, kind, drive, path, top, to_drive, to_path, to_top, created_at)
     VALUES (1, 'return', 2, 'to/x/', 'to/', 1, 'from/', 'from/', 0), (2, 'remove', 1, 'a/', 'a/', NULL, NULL, NULL, 0)`,
  );
  const columns = "kind, undone, drive, path, top, to_drive, to_path, to_top, files_done, files_total";
  expect(sql.query(`SELECT ${columns} FROM folder_work ORDER BY pk`).values()).toEqual([
    ["move", 1, 1, "from/", "from/", 2, "to/x/", "to/", 0, null],
    ["remove", 0, 1, "a/", "a/", null, null, null, 0, null],
  ]);
  const ids = sql.query<{ id: string }, []>("SELECT id FROM folder_work").all();
  expect(new Set(ids.map(({ id }) => parseId(id))).size).toBe(2);
  expect(ids.map(({ id }) => parseId(id))).not.toContain(null);
});

test("files from before their times were kept as lists show them are shown as they are", () => {
  const texts = ["text/html", "text/plain;a=b", "image/svg+xml", "image/png", "font/json"];
  const known = "json xml x-sh rtf\t;a=b octet-stream pdf ld+json atom+xml x+yaml json+x jsonx".split(" ");
  const types = [...texts, ...known.map((each) => `application/${each}`)];
  const times = [0, 1, -1, 999, 1_893_456_000_123, -62_167_219_200_000, 253_402_300_799_999];
  const timeAt = (at: number) => times[at % times.length] ?? 0;
  const rows = types.map(
    (type, at) =>
      `INSERT INTO blob (pk, digest, size) VALUES (${at}, 'b${at}', 10); ${fileRow(at)}
       UPDATE file SET mime_type = '${type}', updated_at = ${timeAt(at)} WHERE pk = ${at};`,
  );
  const folder = "INSERT INTO folder (pk, drive, path, created_at) VALUES (1, 1, '', 0);";
  using sql = upgraded("shown-times-search-jobs", [DRIVE, folder, ...rows].join("\n"));
  const shown = "SELECT created_text, ifnull(updated_text, created_text), is_text FROM file ORDER BY pk";
  expect(sql.query(shown).values()).toEqual(
    types.map((type, at) => [
      "1970-01-01T00:00:00.000Z",
      new Date(timeAt(at)).toISOString(),
      isTextType(type) ? 1 : 0,
    ]),
  );
});

test("search jobs from before a new file had one for its names and its text stay, and stay in order", () => {
  const files = [1, 2, 3].map((pk) => fileRow(pk)).join(" ");
  using sql = upgraded(
    "shown-times-search-jobs",
    `${DRIVE}
     INSERT INTO folder (pk, drive, path, created_at) VALUES (1, 1, '', 0);
     INSERT INTO blob (pk, digest, size) VALUES (1, 'a', 10), (2, 'b', 10), (3, 'c', 10), (4, 'd', 10);
     ${files}
     DELETE FROM search_job WHERE file = 2 AND part = 0;
     DELETE FROM file WHERE pk = 3`,
  );
  const jobs = () => sql.query("SELECT file, parts FROM search_job ORDER BY ticket").values();
  const earlier = [
    [1, 1],
    [1, 2],
    [2, 2],
  ];
  expect(jobs()).toEqual([...earlier, [3, 4]]);
  sql.run(fileRow(3));
  expect(jobs()).toEqual([...earlier, [3, 3]]);
});
