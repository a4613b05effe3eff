import { Database as Sqlite } from "bun:sqlite";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../../src/db/engine/opening.ts";
import { MIGRATIONS } from "../../../src/db/engine/migrations.ts";
import { FakeClock } from "../server/fake-clock.ts";
import { hashOf } from "../samples/hash.ts";

const SCHEMAS = join(import.meta.dir, "../../db/schemas");

/** The contents of the files in old stores, by name; each store holds the same ones, as far as its version could. */
export const OLD_CONTENTS = {
  hello: "Hello from an old store, zebra.\n",
  again: "Hello again from an old store, quokka.\n",
  letter: `A long letter about a pangolin${".".repeat(20_000)}`,
  plan: "A plan with an axolotl.\n",
  cat: "猫がいる\n",
  gone: "Gone with the walrus.\n",
  /** Its file is cut off; from version 19 on. */
  rotten: `This will rot, says the ibis${".".repeat(20_000)}`,
  empty: "",
} as const;

/** What is known of an old store. The keys and tokens are of nothing but this store. */
export interface OldStore {
  /** When it was stopped, in milliseconds. */
  readonly at: number;
  /** Of Ada, whose password is "ada's password". */
  readonly key: string;
  readonly readOnlyKey: string;
  readonly revokedKey: string;
  /** Limited to `drive`. */
  readonly driveKey: string;
  /** Ada's. */
  readonly drive: string;
  readonly unclaimed: { readonly drive: string; readonly key: string; readonly claim: string };
  /** Was claimed by Ada; from version 2 on. */
  readonly claimed?: { readonly drive: string; readonly key: string };
  /** Ada's session; from version 2 on. */
  readonly session?: string;
  /** To `notes/deep/letter.txt`; from version 5 on. */
  readonly link?: string;
  /** One that worked once, and has; from version 5 on. */
  readonly usedLink?: string;
  /** An application that Ada let in, with what it was given; from version 42 on. */
  readonly app?: { readonly clientId: string; readonly accessToken: string; readonly refreshToken: string };
  /** Whether "once/" was made with the Idempotency-Key "an old request". */
  readonly once?: boolean;
}

/** The secret of the data directories of old stores. */
export const OLD_SECRET = new Uint8Array(32).fill(0x2a);

/** The file with the rows of a store. */
export function fileOfStore(version: number): string {
  return join(SCHEMAS, `${String(version).padStart(4, "0")}.sql`);
}

/** The versions of the schema of which there is a store. */
export async function oldVersions(): Promise<number[]> {
  return (await readdir(SCHEMAS)).map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
}

/** The table that a statement of a store is for. */
export function tableOf(statement: string): string {
  return /^INSERT INTO "([^"]+)"/.exec(statement)?.[1] ?? "";
}

/**
 * A store, and statements for its tables. `test/db/schemas/NNNN.sql` holds the rows that the program of that version
 * wrote, also those of the full-text index, as far as the file before lacks them: all stores have the same ids, keys and
 * times. A first line in a comment is what it adds to the `OldStore`, with the tables whose rows are no longer as before.
 * 0002 to 0004 are 0005 without what came later: there was no program with exactly these.
 */
export async function readOldStore(version: number): Promise<{ store: OldStore; statements: string[] }> {
  const text = await Bun.file(fileOfStore(version)).text();
  const [, about = "{}", rows = ""] = /^(?:-- (.*)\n)?([^]*)\n$/.exec(text) ?? [];
  const { anew = [], ...store }: OldStore & { anew?: string[] } = JSON.parse(about);
  const own = rows.split("\n");
  if (version === 1) return { store, statements: own };
  const before = await readOldStore(version - 1);
  const same = before.statements.filter((statement) => !anew.includes(tableOf(statement)));
  return { store: { ...before.store, ...store }, statements: [...same, ...own] };
}

/**
 * Makes a data directory as the Coffer of a version of the schema left it. The steps make the tables, and their hashes
 * are among the rows: a changed step is refused.
 */
export async function makeOldStore(version: number, dataDir: string): Promise<OldStore> {
  const { store, statements } = await readOldStore(version);
  await mkdir(dataDir, { mode: 0o700 });
  const path = join(dataDir, "coffer.db");
  using sql = new Sqlite(path, { create: true, strict: true });
  sql.run("PRAGMA journal_mode = WAL");
  migrate(sql, MIGRATIONS.slice(0, version), new FakeClock());
  const hasCoffer = statements.some((statement) => statement.includes("applied_at, coffer)"));
  if (!hasCoffer) sql.run("ALTER TABLE schema_migration DROP COLUMN coffer");
  insertRows(path, statements);
  await writeFile(join(dataDir, "secret"), OLD_SECRET, { mode: 0o600 });
  await writeContents(sql, join(dataDir, "blobs"), version);
  return store;
}

/** Triggers and foreign keys are off: all rows are there at the end, as they were. */
function insertRows(path: string, statements: readonly string[]): void {
  // The tables of a full-text index can only be written by a connection like this.
  using sql = new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false });
  const triggers = sql.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  const tables = new Set(statements.map(tableOf));
  sql.exec(
    [
      "BEGIN;",
      ...triggers.map(({ name }) => `DROP TRIGGER ${String(name)};`),
      ...[...tables].map((table) => `DELETE FROM "${table}";`),
      ...statements,
      ...triggers.map(({ sql: text }) => `${String(text)};`),
      "COMMIT;",
    ].join("\n"),
  );
}

/** The contents that are files, and the identity of the directory if there was one. */
async function writeContents(sql: Sqlite, blobs: string, version: number): Promise<void> {
  await mkdir(blobs);
  const isSmall = version < 15 ? "" : " WHERE pk NOT IN (SELECT blob FROM small_content)";
  const digests = new Set(sql.query(`SELECT digest FROM blob${isSmall}`).values().flat());
  for (const [name, content] of Object.entries(OLD_CONTENTS)) {
    const digest = hashOf(Buffer.from(content));
    if (!digests.has(digest)) continue;
    await mkdir(join(blobs, digest.slice(0, 2)), { recursive: true });
    await writeFile(
      join(blobs, digest.slice(0, 2), digest),
      name === "rotten" ? content.slice(0, 5) : content,
    );
  }
  if (version < 11) return;
  await writeFile(join(blobs, "identity"), `${String(sql.query("SELECT id FROM store").values()[0]?.[0])}\n`);
}
