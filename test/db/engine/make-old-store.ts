// Writes test/db/schemas/NNNN.sql for the newest schema, with the program as it is: bun test/db/engine/make-old-store.ts
//
// A store of a version is made by the program of that version, so do this before the next step of the schema. What
// only a newer schema can hold is added here, and checked in `old-schemas.test.ts`.
import { Database as Sqlite } from "bun:sqlite";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MIGRATIONS } from "../../../src/db/engine/migrations.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Json } from "../../support/server/client.ts";
import { hashOf } from "../../support/samples/hash.ts";
import {
  fileOfStore,
  OLD_CONTENTS,
  OLD_SECRET,
  type OldStore,
  readOldStore,
  tableOf,
} from "../../support/faults/old-stores.ts";
import { OAuthTestClient } from "../../support/peers/oauth.ts";
import { provision } from "../../support/server/scenario.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { fileOf } from "../../support/samples/contents.ts";
import { settledIndex } from "../../support/server/settled-index.ts";

/** Sends the requests of a store's life. */
async function live(coffer: TestAppliance): Promise<OldStore> {
  const provisioned = async (name: string, path: string, content: string) => {
    const { id, key, claimToken, client } = await provision(coffer, name);
    await client.put(id, path, content);
    return { drive: id, key, claim: claimToken };
  };

  addAccount(coffer, "ada");
  const browser = await signIn(coffer, "ada");
  const keyBy = async (body: Json): Promise<{ key: string }> =>
    JSON.parse((await browser.send("POST", "/v0/keys", { body })).text);
  const { key } = await keyBy({ name: "Main" });
  const { key: readOnlyKey } = await keyBy({ name: "Reader", scope: "read-only" });
  const owner = coffer.client(key);
  const newDrive = async (name: string) => {
    const described = { name, description: "From before." };
    return (await owner.post<{ data: { id: string } }>("/v0/drives", described)).data.id;
  };
  const drive = await newDrive("Old things");

  const { hello, again, letter: long, empty, cat, plan, gone, rotten } = OLD_CONTENTS;
  await owner.put(drive, "notes/hello.txt", hello);
  await owner.put(drive, "notes/hello.txt", again, 200);
  const letter = await owner.put(drive, "notes/deep/letter.txt", long);
  await owner.put(drive, "empty.txt", empty);
  await owner.put(drive, "日本/猫.txt", cat);
  const tagged = await owner.post<{ id: string }>("/v0/files", {
    drive_id: drive,
    path: "tagged/plan.md",
    filename: "plan.md",
    content: Buffer.from(plan).toString("base64"),
    tags: ["red", "blue"],
    metadata: { from: "before", n: 1 },
    expires_at: "2040-01-01T00:00:00Z",
  });
  await owner.post(`/v0/files/${tagged.id}/copy`, { destination_path: "copies/plan.md" });
  await owner.delete(`/v0/files/${(await owner.put(drive, "gone.txt", gone)).id}`);
  await owner.post("/v0/folders", { drive_id: drive, path: "empty folder/" });
  const rot = await owner.put(drive, "rotten.txt", rotten);
  await truncate(fileOf(coffer.dataDir, hashOf(Buffer.from(rotten))), 5);
  await owner.send("GET", `/v0/files/${rot.id}/download`);

  const revoked = await owner.makeKey({ name: "Revoked" });
  await owner.delete(`/v0/keys/${revoked.id}`);
  const { key: driveKey } = await owner.makeKey({ name: "One drive", drive_id: drive });
  const deleted = await newDrive("Deleted");
  await owner.put(deleted, "in-deleted.txt", gone);
  await owner.delete(`/v0/drives/${deleted}`);
  const unclaimed = await provisioned("Unclaimed", "draft.txt", hello);
  const claimed = await provisioned("Claimed", "mine.txt", long);
  await owner.post("/v0/drives/claim", { token: claimed.claim }, 200);

  const link = (one_time: boolean) => {
    const path = `/v0/files/${letter.id}/presigned-url`;
    return owner.post<{ token: string }>(path, { expires_in: 86_400, one_time }, 200);
  };
  const [lasting, used] = [await link(false), await link(true)];
  await coffer.client().send("GET", `/v0/presigned/${used.token}`);
  const app = await OAuthTestClient.register(coffer);
  const { access_token: accessToken, refresh_token: refreshToken } = await app.signIn(browser);
  const headers = { "idempotency-key": "an old request" };
  await owner.send("POST", "/v0/folders", { body: { drive_id: drive, path: "once/" }, headers });
  return {
    at: coffer.clock.now(),
    key,
    readOnlyKey,
    revokedKey: revoked.key,
    driveKey,
    drive,
    unclaimed,
    claimed: { drive: claimed.drive, key: claimed.key },
    session: browser.token,
    app: { clientId: app.id, accessToken, refreshToken },
    once: true,
    link: lasting.token,
    usedLink: used.token,
  };
}

/** Adds what no request makes. */
function addRows(sql: Sqlite, now: number): void {
  sql.run(
    `INSERT INTO identity (issuer, subject, user, created_at)
     SELECT 'https://id.example.test', 'subject-1', pk, created_at FROM user`,
  );
  sql.run("INSERT INTO backup_lease (pk, holder, expires_at) VALUES (1, '7 on host.example.test, 0', ?)", [
    now,
  ]);
  sql.run("INSERT INTO backup_success (place, at) VALUES ('/srv/backup', ?)", [now]);
  sql.run("INSERT OR REPLACE INTO scrub (pk, started_at, reached, contents) VALUES (1, ?, '', 3)", [now]);
}

/** A statement for each table that has rows, also for those that hold a full-text index. */
function dump(sql: Sqlite): string[] {
  const tables = sql
    .query(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name",
    )
    .values()
    .map(([name]) => String(name))
    .filter((name) => name === "sqlite_sequence" || !name.startsWith("sqlite_"));
  return tables.flatMap((table) => {
    // Without the columns that are computed.
    const columns = sql.query(`SELECT name FROM pragma_table_info('${table}')`).values().flat();
    const order = columns[0] === "hash" ? columns.slice(1) : columns;
    const rows = sql
      .query(`SELECT ${columns.join(", ")} FROM "${table}" ORDER BY ${order.join(", ")}`)
      .values();
    if (rows.length === 0) return [];
    const values = rows.map((row) => `(${row.map(literal).join(", ")})`);
    return [`INSERT INTO "${table}" (${columns.join(", ")}) VALUES ${values.join(", ")};`];
  });
}

function literal(value: null | bigint | boolean | number | string | Uint8Array): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return `X'${value.toHex()}'`;
  if (typeof value !== "string") return String(value);
  return `'${value.replaceAll("'", "''").replaceAll("\n", "' || char(10) || '")}'`;
}

/** What is another in each run: ids, keys, tokens, their hashes, what is sealed, and which file something is. */
const RANDOM =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|(?:cof|clm|lnk)_\w+|(?<="session":")[^"]+|\$argon2id\$[^']+|X'[0-9a-f]{600,}'|\d+ \d{13}\.\d+/g;

function blank(line: string): string {
  return line.replaceAll(RANDOM, "?");
}

function hashOfText(text: string): string {
  return hashOf(Buffer.from(text));
}

/** These lines with the ids and keys of others, where both say the same, or a table has rows more. */
function renamed(lines: readonly string[], others: readonly string[]): string[] {
  const known = others.map((line) => ({ text: blank(line), found: line.match(RANDOM) }));
  const names = new Map<string, string>();
  for (const line of lines) {
    const own = blank(line);
    const same = known.find(({ text }) => own === text || own.startsWith(`${text.slice(0, -1)}, (`));
    same?.found?.forEach((name, at) => names.set(line.match(RANDOM)?.[at] ?? "", name));
  }
  // A table that has a column more says nothing alike.
  const hashes = new Map(Array.from(names, (pair) => [hashOfText(pair[0]), hashOfText(pair[1])]));
  return lines.map((line) => line.replaceAll(RANDOM, (name) => names.get(name) ?? hashes.get(name) ?? name));
}

/** What is known of a store, a line for each: one of them may be new. */
function linesOf(store: OldStore): string[] {
  return Object.entries(store).map(([name, value]) => JSON.stringify({ [name]: value }));
}

/** One statement for all rows of each table. */
function joined(statements: readonly string[]): string[] {
  const tables = new Map<string, string>();
  for (const statement of statements) {
    const [, rows = ""] = statement.split(/(?<=\) VALUES )/, 2);
    const earlier = tables.get(tableOf(statement));
    tables.set(tableOf(statement), earlier === undefined ? statement : `${earlier.slice(0, -1)}, ${rows}`);
  }
  return [...tables.values()];
}

const before = await readOldStore(MIGRATIONS.length - 1);
const prepare = async (dataDir: string) => {
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(join(dataDir, "secret"), OLD_SECRET, { mode: 0o600 });
  return before.store.at;
};
await using coffer = await startAppliance({}, { prepare });
const lived = await live(coffer);
await settledIndex(coffer.dataDir);
await coffer.close();
using sql = new Sqlite(join(coffer.dataDir, "coffer.db"));
addRows(sql, lived.at);
const known = joined(before.statements);
const about = linesOf(lived);
const named = renamed([...about, ...dump(sql)], [...linesOf(before.store), ...known]);
const made = named.slice(about.length);
const had = new Set(linesOf(before.store));
const more = named.slice(0, about.length).filter((line) => !had.has(line));
const anew = known.map(tableOf).filter((table) => !made.some((statement) => tableOf(statement) === table));
const own: string[] = [];
for (const statement of made) {
  const earlier = known.find((each) => tableOf(each) === tableOf(statement)) ?? "";
  const [head = ""] = statement.split(/(?<=\) VALUES )/, 1);
  if (earlier !== "" && statement.startsWith(`${earlier.slice(0, -1)}, (`)) {
    own.push(head + statement.slice(earlier.length + 1));
  } else if (earlier !== statement) {
    own.push(statement);
    if (earlier !== "") anew.push(tableOf(statement));
  }
}
const adds = JSON.stringify({
  ...Object.assign({}, ...more.map((line) => JSON.parse(line))),
  anew: anew.length > 0 ? anew : undefined,
});
const lines = [...(adds === "{}" ? [] : [`-- ${adds}`]), ...own, ""];
await Bun.write(fileOfStore(MIGRATIONS.length), lines.join("\n"));
