import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Answer, Client } from "../../support/server/client.ts";
import { type Agent, provision, type Server, serve, signUp } from "../../support/server/executable.ts";
import { type ProcessUse, processUse } from "../../support/meters/process-use.ts";
import { verified } from "../../support/faults/verified.ts";
import { withReason } from "../../support/server/skip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** The run in this many parts: the first fills what is kept for a while, the others are compared. */
const PARTS = 5;
/** Each part is a load and then a rest, in milliseconds: ten minutes in all. */
const LOAD_MS = 95_000;
/** Under load much of the memory is garbage. Within about ten seconds of rest the runtime collects it. */
const REST_MS = 25_000;
const WORKERS = 4;
/** From the start of one round of a worker to that of the next, in milliseconds: about 110 requests a second. */
const ROUND_MS = 400;
const SAMPLE_MS = 2000;
/** Files of a worker: a later round replaces, moves and deletes what an earlier one wrote. */
const PATHS = 40;
const WORDS = ["amber", "basalt", "cobalt", "dolomite", "ember", "feldspar", "granite", "hematite"];

const NO_PROC = process.platform === "linux" ? "" : "there is no /proc";

/** What a used link takes in the database, with its places in indexes. */
const LINK_BYTES = 500;
/** What an entry of the feed takes there, which nearly every request adds; it is kept as long. */
const CHANGE_BYTES = 250;

/**
 * How many bytes of memory may be added from the rest of the second part to that of the last, for 30,000 requests: 230
 * for each. The new pages of the database come on top: connections keep them.
 */
const MOST_MEMORY = 7_000_000;

/**
 * How much may be added to the most of the second part by the end. The database keeps used links for 30 days, and claim
 * tokens for a year: in that time nearly 3000 links are used.
 */
const MOST_GROWTH = [
  { field: "database", factor: 1, more: 3000 * LINK_BYTES },
  { field: "index", factor: 1.25, more: 0 },
  { field: "contents", factor: 1.15, more: 0 },
  { field: "temporary", factor: 1, more: 4 },
  { field: "descriptors", factor: 1, more: 10 },
  { field: "threads", factor: 1, more: 4 },
] as const;

interface Sample extends ProcessUse {
  readonly requests: number;
  /** Bytes of the database and the search index, and of their logs. */
  readonly database: number;
  readonly index: number;
  readonly log: number;
  /** Contents that are files, and uploads in progress. */
  readonly contents: number;
  readonly temporary: number;
}

/** What of them is printed, for each part its most. */
const SHOWN = [...MOST_GROWTH.map(({ field }) => field), "requests", "memory", "log"] as const;

test.skipIf(NO_PROC !== "")(
  withReason(
    "ten minutes of mixed load with a sweep each second: nothing grows, nothing slows down",
    NO_PROC,
  ),
  async () => {
    await using place = await temporaryDirectory();
    await using server = await serve({
      dataDir: place.dataDir,
      // Replaced and deleted contents beyond the storage limit are removed after a minute, others after an hour.
      env: {
        COFFER_SWEEP_INTERVAL: "1s",
        COFFER_STORAGE_LIMITS: "free=15MB,pro=15MB,team=15MB",
        COFFER_BACKUP: join(place.path, "backup"),
        COFFER_BACKUP_INTERVAL: "2m",
        COFFER_BACKUP_KEEP: "2",
      },
    });
    const load = newLoad(server, await signUp(server, "ada"));
    const parts: Sample[][] = [];
    const sampleFor = async (milliseconds: number) => {
      const samples: Sample[] = [];
      const end = performance.now() + milliseconds;
      while (performance.now() < end) {
        samples.push({ ...processUse(server.pid), ...disk(server.dataDir), requests: load.requests() });
        await Bun.sleep(SAMPLE_MS);
      }
      return samples;
    };
    // The least memory of each rest: what is in use.
    const kept: number[] = [];
    for (let part = 0; part < PARTS; part += 1) {
      const [loaded] = await Promise.all([sampleFor(LOAD_MS), load.run(LOAD_MS)]);
      parts.push(loaded);
      const rested = await sampleFor(REST_MS);
      kept.push(Math.min(...rested.map(({ anonymous }) => anonymous)));
    }

    const most = (field: keyof Sample) => parts.map((part) => Math.max(...part.map((each) => each[field])));
    const costs = parts.map(secondsARequest);
    const all = Object.fromEntries(SHOWN.map((field) => [field, most(field)]));
    const milliseconds = costs.map((seconds) => seconds * 1000);
    process.stdout.write(`${JSON.stringify({ ...all, kept, milliseconds })}\n`);

    const pages = last(most("database")) - (most("database")[1] ?? 0);
    expect(last(kept) - (kept[1] ?? 0)).toBeLessThan(MOST_MEMORY + pages);
    const requests = most("requests");
    const told = (last(requests) - (requests[1] ?? 0)) * CHANGE_BYTES;
    const grown = MOST_GROWTH.filter(({ field, factor, more }) => {
      const values = most(field);
      return last(values) > (values[1] ?? 0) * factor + more + (field === "database" ? told : 0);
    });
    expect(grown).toEqual([]);
    // At 64 MiB writes wait for a checkpoint; what they wrote by then comes on top.
    expect(Math.max(...most("log"))).toBeLessThan(128 * 1024 * 1024);
    // Time of the processor. Other work on the machine changes it less than time on the clock, but nearly doubles it.
    expect(last(costs)).toBeLessThan((costs[1] ?? 0) * 3);
    expect(server.stdout.text).not.toMatch(/"level":"error"/);
    expect(await server.stop()).toBe(0);
    expect(await verified(server.dataDir)).toEqual([]);
  },
  PARTS * (LOAD_MS + REST_MS) + 5 * 60_000,
);

function last(values: readonly number[]): number {
  return values.at(-1) ?? Number.NaN;
}

function secondsARequest(part: readonly Sample[]): number {
  const [first, final] = [part[0], part.at(-1)];
  if (first === undefined || final === undefined) return Number.NaN;
  return (final.seconds - first.seconds) / (final.requests - first.requests);
}

/** What a data directory holds. */
function disk(dataDir: string): Pick<Sample, "database" | "index" | "log" | "contents" | "temporary"> {
  const at = (name: string) => join(dataDir, name);
  return {
    database: sizeOf(at("coffer.db")),
    index: sizeOf(at("search.db")),
    log: sizeOf(at("coffer.db-wal")) + sizeOf(at("search.db-wal")),
    contents: readdirSync(at("blobs"), { recursive: true }).length,
    temporary: readdirSync(at("tmp")).length,
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Counts what was answered, which must be a success. */
class CountingClient extends Client {
  requests = 0;

  override async send(...request: Parameters<Client["send"]>): Promise<Answer> {
    const answer = await super.send(...request);
    const [method, path] = request;
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    this.requests += 1;
    return answer;
  }
}

/** Requests of every kind, round after round. */
function newLoad(server: Server, { key, drive }: Agent) {
  const client = new CountingClient(server.url, key);
  let ofGuests = 0;
  const rounds = Array.from({ length: WORKERS }, () => 0);

  /** An agent that comes, writes, and goes. */
  const guest = async () => {
    const { client: own, drive: of } = await provision(server);
    await own.put(of, "note.txt", "Here for a moment.");
    await own.delete(`/v0/keys/${(await own.makeKey({ name: "another" })).id}`);
    await own.delete(`/v0/drives/${of}`);
    ofGuests += 5;
  };

  const doRound = async (worker: number, round: number) => {
    const folder = `worker ${worker}/${round % 8}`;
    const path = `${folder}/${round % PATHS}.txt`;
    const upload = {
      drive_id: drive,
      path,
      content: Buffer.from(textOf(worker, round)).toBase64(),
      tags: [WORDS[round % WORDS.length] ?? ""],
    };
    const { id: text }: { id: string } = JSON.parse(
      (await client.send("POST", "/v0/files", { body: upload })).text,
    );
    const bytes = crypto.getRandomValues(new Uint8Array(20_000 + (round % 7) * 9000));
    const large = await client.store(drive, `${folder}/${round % PATHS}.bin`, bytes);
    for (const read of [
      `/v0/files/${text}/download`,
      `/v0/files/${large}/download`,
      `/v0/files?drive_id=${drive}&prefix=${encodeURIComponent(`${folder}/`)}&delimiter=/`,
      `/v0/search?drive_id=${drive}&q=${WORDS[(round + 3) % WORDS.length] ?? ""}`,
    ])
      await client.send("GET", read);
    await client.patch(`/v0/files/${text}`, { metadata: { round } });
    const copy = { destination_path: `copies ${worker}/${round}.txt` };
    const { id } = await client.post<{ id: string }>(`/v0/files/${text}/copy`, copy);
    const move = { destination_path: `moved ${worker}/${round % 10}.txt`, overwrite: true };
    await client.post(`/v0/files/${id}/move`, move, 200);
    const once = { one_time: true, expires_in: 60 };
    const link = await client.post<{ token: string }>(`/v0/files/${text}/presigned-url`, once, 200);
    await client.send("GET", `/v0/presigned/${link.token}`);
    if (round % 8 === 7)
      await client.delete("/v0/folders", { drive_id: drive, path: `worker ${worker}/`, confirm: true });
    if (round % 16 === worker) await guest();
  };

  const work = async (worker: number, end: number) => {
    while (performance.now() < end) {
      const next = performance.now() + ROUND_MS;
      const round = rounds[worker] ?? 0;
      rounds[worker] = round + 1;
      await doRound(worker, round);
      await Bun.sleep(Math.max(0, next - performance.now()));
    }
  };

  return {
    /** Answered so far. */
    requests: () => client.requests + ofGuests,
    /** Lets all workers go on for a while. */
    run: async (milliseconds: number): Promise<void> => {
      const end = performance.now() + milliseconds;
      await Promise.all(rounds.map((_, worker) => work(worker, end)));
    },
  };
}

/** A text of a few hundred words, different each time. */
function textOf(worker: number, round: number): string {
  const words = Array.from({ length: 300 }, (_, at) => WORDS[(at * 7 + round + worker) % WORDS.length] ?? "");
  return `Round ${round} of worker ${worker}: ${words.join(" ")}`;
}
