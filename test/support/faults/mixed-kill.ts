import { Database as Sqlite } from "bun:sqlite";
import { expect } from "bun:test";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { changeDatabase } from "./change-database.ts";
import { filesIn } from "../samples/contents.ts";
import { provision, type Server, serve, signUp } from "../server/executable.ts";
import { contentOf } from "./faults.ts";
import { FeedReplay, listed } from "../models/feed-replay.ts";
import { hashOf } from "../samples/hash.ts";
import { FileWriter } from "./mixed-load.ts";
import { eventually } from "../server/scenario.ts";
import { verified } from "./verified.ts";

/** Sweeps run all the time, beside everything. */
const ENV = { COFFER_SWEEP_INTERVAL: "10ms", COFFER_SCRUB_INTERVAL: "1s" };
const FILE_WRITERS = 6;
/** The server is killed after so many answers at most. */
const ANSWERS = 60;
/** After so many rounds everything is verified. */
const VERIFIED = 10;
/** So many contents are read after each round: all of a writer's. */
const WAYS_TO_ASK = 3;

/** Somebody who writes, and knows what must be there after the server was killed. */
interface Writer {
  /** Asks for one thing. Rejects if the server goes away. */
  write(server: Server): Promise<void>;
  /** Compares what is there with what must be there. */
  check(server: Server): Promise<void>;
}

/** Makes and removes keys or drives, all with names of their own. */
class CollectionWriter implements Writer {
  readonly #path: string;
  readonly #key: string;
  readonly #ids = new Map<string, string>();
  /** The name of what is being made or removed. */
  #underWay: string | null = null;

  constructor(path: "/v0/keys" | "/v0/drives", key: string) {
    this.#path = path;
    this.#key = key;
  }

  async write(server: Server): Promise<void> {
    const client = server.client(this.#key);
    const [known] = this.#ids;
    if (known !== undefined && this.#ids.size > WAYS_TO_ASK) {
      const [name, id] = known;
      this.#underWay = name;
      await client.delete(`${this.#path}/${id}`);
      this.#ids.delete(name);
    } else {
      const name = `made ${crypto.randomUUID()}`;
      this.#underWay = name;
      const made = await client.post<{ id?: string; data?: { id: string } }>(this.#path, { name });
      this.#ids.set(name, made.data?.id ?? made.id ?? "");
    }
    this.#underWay = null;
  }

  async check(server: Server): Promise<void> {
    type Listed = { id: string; name: string }[];
    const found = await server.client(this.#key).get<Listed | { data: Listed }>(this.#path);
    const made = (Array.isArray(found) ? found : found.data).filter(({ name }) => name.startsWith("made "));
    const isCertain = (name: string) => name !== this.#underWay;
    expect(
      made
        .map(({ name }) => name)
        .filter(isCertain)
        .toSorted(),
    ).toEqual([...this.#ids.keys()].filter(isCertain).toSorted());
    this.#underWay = null;
    this.#ids.clear();
    for (const { id, name } of made) this.#ids.set(name, id);
  }
}

/** Makes links that work once, and uses each twice at the same time. */
class LinkWriter implements Writer {
  readonly #key: string;
  readonly #file: string;
  #token: string | null = null;
  #used: string[] = [];

  constructor(key: string, file: string) {
    this.#key = key;
    this.#file = file;
  }

  async write(server: Server): Promise<void> {
    if (this.#token === null) {
      const { token } = await server
        .client(this.#key)
        .post<{ token: string }>(`/v0/files/${this.#file}/presigned-url`, { one_time: true }, 200);
      this.#token = token;
    } else {
      const statuses = await Promise.all([use(server, this.#token), use(server, this.#token)]);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 410]);
      this.#end(this.#token);
    }
  }

  async check(server: Server): Promise<void> {
    // It was not used, or its use was cut off.
    if (this.#token !== null) {
      expect([200, 410]).toContain(await use(server, this.#token));
      this.#end(this.#token);
    }
    for (const token of this.#used) expect(await use(server, token)).toBe(410);
  }

  #end(token: string): void {
    this.#token = null;
    this.#used = [...this.#used, token].slice(-WAYS_TO_ASK);
  }
}

async function use(server: Server, token: string): Promise<number> {
  return (await server.client().send("GET", `/v0/presigned/${token}`)).status;
}

/** Kills a server again and again amid mixed writes, over one data directory. Checks everything after each kill. */
export async function killAgainAndAgain(dataDir: string, rounds: number): Promise<void> {
  let server = await serve({ dataDir, env: ENV });
  try {
    const { key, drive, client } = await provision(server);
    const account = await signUp(server, "ada");
    const linked = await client.put(drive, "linked.bin", Uint8Array.from(contentOf("linked", 100_000)));
    const files = Array.from({ length: FILE_WRITERS }, (_, n) => new FileWriter(drive, `w${n}/`));
    // What it has seen of the feed, across all kills, must come to what is there, with nothing twice.
    const replay = new FeedReplay(drive);
    const writers: Writer[] = [
      ...files.map((writer) => ({
        write: (now: Server) => writer.write(now.client(key)),
        check: (now: Server) => writer.check(now.client(key)),
      })),
      new CollectionWriter("/v0/keys", key),
      new CollectionWriter("/v0/drives", account.key),
      new LinkWriter(key, linked.id),
      { write: async (now) => void (await replay.read(now.client(key))), check: async () => {} },
      {
        write: async (now) => void (await now.client(key).get(`/v0/search?drive_id=${drive}&q=bin`)),
        check: async () => {},
      },
    ];
    let cutOff = 0;
    for (let round = 1; round <= rounds; round++) {
      cutOff += await writeUntilKilled(server, writers);
      const left = await temporariesIn(dataDir);
      server = await serve({ dataDir, env: ENV });
      // Others may pass through there already: contents that a sweep removes.
      expect((await temporariesIn(dataDir)).filter((name) => left.includes(name))).toEqual([]);
      await untilNoFolderChanges(dataDir);
      await Promise.all(writers.map((writer) => writer.check(server)));
      const now = server.client(key);
      // Only while nobody writes.
      await replay.read(now);
      expect(replay.files).toEqual(await listed(now, drive));
      await files[round % files.length]?.readAll(now);
      if (round % VERIFIED === 0) expect([round, await verified(dataDir)]).toEqual([round, []]);
    }
    // Else the moments of the kills were badly chosen.
    expect(cutOff).toBeGreaterThan(0);
    for (const writer of files) await writer.readAll(server.client(key));
    await requireNothingLeft(server);
    expect(await server.stop()).toBe(0);
    expect(await verified(dataDir)).toEqual([]);
  } finally {
    await server.kill();
  }
}

/** Many writers side by side, until the server is killed amid them. Returns how many were cut off in a request. */
async function writeUntilKilled(server: Server, writers: readonly Writer[]): Promise<number> {
  const last = 1 + Math.floor(Math.random() * ANSWERS);
  let answers = 0;
  const kills: Promise<void>[] = [];
  const run = async (writer: Writer): Promise<boolean> => {
    while (kills.length === 0) {
      try {
        await writer.write(server);
      } catch (error) {
        // Only the connection's error, and only because of the kill: what was answered must be right.
        if (kills.length > 0 && error instanceof Error && "code" in error) return true;
        throw error;
      }
      answers += 1;
      if (answers === last) kills.push(server.kill());
    }
    return false;
  };
  const wereCutOff = await Promise.all(writers.map(run));
  await Promise.all(kills);
  return wereCutOff.filter(Boolean).length;
}

/** A restart finishes or undoes the changes of folders that were cut off. */
async function untilNoFolderChanges(dataDir: string): Promise<void> {
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  sql.run("PRAGMA busy_timeout = 10000");
  await eventually(() => sql.query("SELECT 1 FROM folder_work").get() === null);
}

function temporariesIn(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, "tmp"));
}

/** Makes everything that no file uses old, until sweeps have removed it, and no temporary file is left. */
async function requireNothingLeft({ dataDir }: Server): Promise<void> {
  // A kill leaves one if it comes between a content and its row, which few of them do.
  const stray = contentOf("stray", 20_000);
  const hash = hashOf(stray);
  await Bun.write(join(dataDir, "blobs", hash.slice(0, 2), hash), stray);
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  sql.run("PRAGMA busy_timeout = 10000");
  const named = sql.query<{ digest: string }, [number]>(
    "SELECT digest FROM blob WHERE size > ? ORDER BY digest",
  );
  await eventually(async () => {
    const files = filesIn(dataDir).map(({ digest }) => digest);
    const isClean = sql.query("SELECT 1 FROM blob WHERE refs = 0").get() === null;
    if (
      isClean &&
      Bun.deepEquals(
        named.all(SMALL_CONTENT_BYTES).map(({ digest }) => digest),
        files.toSorted(),
      ) &&
      // A content that a sweep removes passes through there.
      (await temporariesIn(dataDir)).length === 0
    ) {
      return true;
    }
    changeDatabase(dataDir, "UPDATE blob SET orphaned_at = 1 WHERE orphaned_at IS NOT NULL");
    // Not 0: contents up to that time may be older than the database, and are kept.
    const age = (name: string) => utimes(join(dataDir, "blobs", name.slice(0, 2), name), 1, 1);
    // A sweep may just have removed one.
    await Promise.all(files.map((name) => age(name).catch(() => {})));
    return false;
  });
}
