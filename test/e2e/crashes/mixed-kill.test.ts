import { expect, test } from "bun:test";
import { rowsIn } from "../../support/faults/change-database.ts";
import { fileOf, filesIn } from "../../support/samples/contents.ts";
import { provision, type Server, serve, signUp } from "../../support/server/executable.ts";
import { contentOf } from "../../support/faults/faults.ts";
import { FeedReplay, listed } from "../../support/models/feed-replay.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { FileWriter } from "../../support/faults/mixed-load.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { requireNothingLeft, temporariesIn } from "../../support/faults/nothing-left.ts";
import { verified } from "../../support/faults/verified.ts";

/** Sweeps run all the time, beside everything. */
const ENV = { COFFER_SWEEP_INTERVAL: "10ms", COFFER_SCRUB_INTERVAL: "1s" };
const FILE_WRITERS = 6;
const ROUNDS = isThorough() ? 80 : 6;
/** Many rounds beside other tests take long. */
const TIMEOUT_MS = 900_000;
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

/**
 * Makes and removes keys or drives, all with names of their own. Each is asked for until there is an answer.
 *
 * @param path where they are made
 * @param ofWhom whose key makes them, if any
 * @param all what there is now
 */
function collectionWriter(
  path: string,
  ofWhom: string | undefined,
  all: (server: Server) => Promise<Named[]>,
): Writer {
  /** The answers, by name. */
  const answers = new Map<string, string>();
  /** The names of what is being made, and of what is being removed. */
  let making: string | null = null;
  let removing: string | null = null;

  const ask = (server: Server, name: string) =>
    server.client(ofWhom).send("POST", path, { body: { name }, headers: { "idempotency-key": name } });
  const make = async (server: Server, name: string) => {
    making = name;
    const { status, text } = await ask(server, name);
    expect([name, status, text]).toEqual([name, 201, text]);
    answers.set(name, text);
    making = null;
  };
  return {
    write: async (server) => {
      const [oldest] = answers;
      if (oldest === undefined || answers.size <= WAYS_TO_ASK)
        return await make(server, `made-${crypto.randomUUID()}`);
      const [name, answer] = oldest;
      const { id, key } = madeIn(answer);
      removing = name;
      await server.client(ofWhom ?? key).delete(`${path.replace("/provision", "")}/${id}`);
      removing = null;
      answers.delete(name);
    },
    // Each stands there once, under the id of its answer, also if it had to be asked for again.
    check: async (server) => {
      if (making !== null) await make(server, making);
      for (const [name, answer] of answers) {
        const { headers, text } = await ask(server, name);
        expect([name, headers.get("idempotency-replayed"), text]).toEqual([name, "true", answer]);
      }
      const there = await all(server);
      const found = there.flatMap(({ name, id }) => (name.startsWith("made-") ? [`${name} ${id}`] : []));
      if (removing !== null && !there.some(({ name }) => name === removing)) answers.delete(removing);
      removing = null;
      const made = [...answers].map(([name, answer]) => ({ name, ...madeIn(answer) }));
      expect(found.toSorted()).toEqual(made.map(({ name, id }) => `${name} ${id}`).toSorted());
      if (ofWhom !== undefined) return;
      for (const { id, key } of made) await server.client(key).get(`/v0/drives/${id}`);
    },
  };
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

function use(server: Server, link: string): Promise<number> {
  return server.client().status("GET", `/v0/presigned/${link}`);
}

/** Makes links that work once, and uses each twice at the same time. */
function linkWriter(key: string, file: string): Writer {
  let token: string | null = null;
  let used: string[] = [];
  const end = (link: string) => {
    token = null;
    used = [...used, link].slice(-WAYS_TO_ASK);
  };
  return {
    write: async (server) => {
      if (token === null) {
        const path = `/v0/files/${file}/presigned-url`;
        const once = { one_time: true };
        ({ token } = await server.client(key).post<{ token: string }>(path, once, 200));
        return;
      }
      const statuses = await Promise.all([use(server, token), use(server, token)]);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 410]);
      end(token);
    },
    check: async (server) => {
      // It was not used, or its use was cut off.
      if (token !== null) {
        expect([200, 410]).toContain(await use(server, token));
        end(token);
      }
      for (const link of used) expect(await use(server, link)).toBe(410);
    },
  };
}

test(
  "kills amid everything at once lose nothing that was answered, and leave nothing half done",
  async () => {
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
        collectionWriter("/v0/keys", key, async (now) => await now.client(key).get<Named[]>("/v0/keys")),
        collectionWriter("/v0/drives", account.key, async (now) => {
          return (await now.client(account.key).get<{ data: Named[] }>("/v0/drives")).data;
        }),
        // Nobody may list those that nobody has claimed.
        collectionWriter("/v0/drives/provision", undefined, async () =>
          rowsIn(dataDir, "SELECT name, id FROM drive WHERE user IS NULL AND deleted_at IS NULL").map(
            ([name, id]) => ({ name: String(name), id: String(id) }),
          ),
        ),
        linkWriter(key, linked.id),
        { write: async (now) => void (await replay.read(now.client(key))), check: async () => {} },
        {
          write: async (now) => void (await now.client(key).get(`/v0/search?drive_id=${drive}&q=bin`)),
          check: async () => {},
        },
      ];
      let cutOff = 0;
      for (let round = 1; round <= ROUNDS; round++) {
        cutOff += await writeUntilKilled(server, writers);
        // What a file was moved to is its whole content.
        for (const { digest } of filesIn(dataDir))
          expect([digest, hashOf(await Bun.file(fileOf(dataDir, digest)).bytes())]).toEqual([digest, digest]);
        const left = await temporariesIn(dataDir);
        server = await serve({ dataDir, env: ENV });
        // Others may pass through there already: contents that a sweep removes.
        expect((await temporariesIn(dataDir)).filter((name) => left.includes(name))).toEqual([]);
        // A restart finishes or undoes the changes of folders that were cut off.
        await eventually(() => rowsIn(dataDir, "SELECT 1 FROM folder_work").length === 0);
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
      await requireNothingLeft(dataDir);
      expect(await server.stop()).toBe(0);
      expect(await verified(dataDir)).toEqual([]);
    } finally {
      await server.kill();
    }
  },
  TIMEOUT_MS,
);

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
