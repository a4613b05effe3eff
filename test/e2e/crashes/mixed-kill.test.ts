import { expect, test } from "bun:test";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { fileOf, filesIn } from "../../support/samples/contents.ts";
import { provision, type Server, serve, signUp } from "../../support/server/executable.ts";
import { contentOf } from "../../support/faults/faults.ts";
import { FeedReplay, listed } from "../../support/models/feed-replay.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { FileWriter } from "../../support/faults/mixed-load.ts";
import { eventually } from "../../support/server/scenario.ts";
import type { Answer } from "../../support/server/client.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { verified } from "../../support/faults/verified.ts";

/** Sweeps run all the time, beside everything. */
const ENV = { COFFER_SWEEP_INTERVAL: "10ms", COFFER_SCRUB_INTERVAL: "1s" };
const FILE_WRITERS = 6;
const ROUNDS = isThorough() ? 200 : 6;
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

/** What is made: a key, or a drive with its key where nobody else has one. */
interface Made {
  readonly id: string;
  readonly key?: string;
}

/** Makes and removes keys or drives, all with names of their own. Each is asked for until there is an answer. */
class CollectionWriter implements Writer {
  readonly #path: string;
  readonly #key: string | undefined;
  readonly #all: (server: Server) => Promise<Named[]>;
  /** The answers, by name. */
  readonly #made = new Map<string, string>();
  /** The names of what is being made, and of what is being removed. */
  #making: string | null = null;
  #removing: string | null = null;

  /**
   * @param path where they are made
   * @param key whose they are
   * @param all that there are now
   */
  constructor(path: string, key: string | undefined, all: (server: Server) => Promise<Named[]>) {
    this.#path = path;
    this.#key = key;
    this.#all = all;
  }

  async write(server: Server): Promise<void> {
    const [oldest] = this.#made;
    if (oldest === undefined || this.#made.size <= WAYS_TO_ASK)
      return await this.#make(server, `made-${crypto.randomUUID()}`);
    const [name, answer] = oldest;
    const { id, key } = madeIn(answer);
    this.#removing = name;
    await server.client(this.#key ?? key).delete(`${this.#path.replace("/provision", "")}/${id}`);
    this.#removing = null;
    this.#made.delete(name);
  }

  /** Each stands there once, under the id of its answer, also if it had to be asked for again. */
  async check(server: Server): Promise<void> {
    if (this.#making !== null) await this.#make(server, this.#making);
    for (const [name, answer] of this.#made) {
      const { headers, text } = await this.#ask(server, name);
      expect([name, headers.get("idempotency-replayed"), text]).toEqual([name, "true", answer]);
    }
    const there = await this.#all(server);
    const found = there.flatMap(({ name, id }) => (name.startsWith("made-") ? [`${name} ${id}`] : []));
    const removing = this.#removing;
    if (removing !== null && !found.some((line) => line.startsWith(removing))) this.#made.delete(removing);
    this.#removing = null;
    const answered = [...this.#made].map(([name, answer]) => `${name} ${madeIn(answer).id}`);
    expect(found.toSorted()).toEqual(answered.toSorted());
    for (const answer of this.#made.values()) {
      const { id, key } = madeIn(answer);
      if (this.#key === undefined) await server.client(key).get(`/v0/drives/${id}`);
    }
  }

  async #make(server: Server, name: string): Promise<void> {
    this.#making = name;
    const { status, text } = await this.#ask(server, name);
    expect([name, status, text]).toEqual([name, 201, text]);
    this.#made.set(name, text);
    this.#making = null;
  }

  #ask(server: Server, name: string): Promise<Answer> {
    const once = { body: { name }, headers: { "idempotency-key": name } };
    return server.client(this.#key).send("POST", this.#path, once);
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function madeIn(answer: string): Made {
  const { data, ...made }: Made & { data?: Made & Record<"drive_id" | "api_key", string> } =
    JSON.parse(answer);
  return data === undefined ? made : { id: data.drive_id ?? data.id, key: data.api_key };
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

test("kills amid everything at once lose nothing that was answered, and leave nothing half done", async () => {
  // What a killed process has written is there without a sync.
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
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
      new CollectionWriter("/v0/keys", key, async (now) => await now.client(key).get<Named[]>("/v0/keys")),
      new CollectionWriter("/v0/drives", account.key, async (now) => {
        return (await now.client(account.key).get<{ data: Named[] }>("/v0/drives")).data;
      }),
      // Nobody may list those that nobody has claimed.
      new CollectionWriter("/v0/drives/provision", undefined, async () =>
        rowsIn(dataDir, "SELECT name, id FROM drive WHERE user IS NULL AND deleted_at IS NULL").map(
          ([name, id]) => ({ name: String(name), id: String(id) }),
        ),
      ),
      new LinkWriter(key, linked.id),
      { write: async (now) => void (await replay.read(now.client(key))), check: async () => {} },
      {
        write: async (now) => void (await now.client(key).get(`/v0/search?drive_id=${drive}&q=bin`)),
        check: async () => {},
      },
    ];
    let cutOff = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      cutOff += await writeUntilKilled(server, writers);
      await requireWholeFiles(dataDir);
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
});

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
  await eventually(() => rowsIn(dataDir, "SELECT 1 FROM folder_work").length === 0);
}

function temporariesIn(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, "tmp"));
}

/** What a file was moved to is its whole content. */
async function requireWholeFiles(dataDir: string): Promise<void> {
  for (const { digest } of filesIn(dataDir))
    expect([digest, hashOf(await Bun.file(fileOf(dataDir, digest)).bytes())]).toEqual([digest, digest]);
}

/** Makes everything that no file uses old, until sweeps have removed it, and no temporary file is left. */
async function requireNothingLeft({ dataDir }: Server): Promise<void> {
  // A kill leaves one if it comes between a content and its row, which few of them do.
  const stray = contentOf("stray", 20_000);
  await Bun.write(fileOf(dataDir, hashOf(stray)), stray);
  const named = `SELECT digest FROM blob WHERE size > ${SMALL_CONTENT_BYTES} ORDER BY digest`;
  await eventually(async () => {
    const files = filesIn(dataDir).map(({ digest }) => digest);
    if (
      rowsIn(dataDir, "SELECT 1 FROM blob WHERE refs = 0").length === 0 &&
      Bun.deepEquals(rowsIn(dataDir, named).flat(), files.toSorted()) &&
      // A content that a sweep removes passes through there.
      (await temporariesIn(dataDir)).length === 0
    ) {
      return true;
    }
    changeDatabase(dataDir, "UPDATE blob SET orphaned_at = 1 WHERE orphaned_at IS NOT NULL");
    // Not 0: contents up to that time may be older than the database, and are kept. A sweep may just have removed one.
    await Promise.all(files.map((name) => utimes(fileOf(dataDir, name), 1, 1).catch(() => {})));
    return false;
  });
}
