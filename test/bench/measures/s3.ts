import { rm } from "node:fs/promises";
import { join } from "node:path";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { clientOf, newBucket } from "../../support/peers/s3-engine.ts";
import { serveSilently, signUp } from "../../support/server/executable.ts";
import { time } from "../figures.ts";
import { send } from "../load.ts";
import { storeOf } from "../peers/coffer.ts";
import type { Group, Run } from "../run.ts";
import type { Measure } from "../table.ts";

/** Bytes of a file. */
const SIZE = 4 * 1024 * 1024;
/** Files that are sent in one round, by so many clients. */
const FILES = 48;
const CLIENTS = 4;
const SENT_MB = (FILES * SIZE) / 1e6;

const WITHOUT = "`fetch` to the same Ceph without Coffer";
const UPLOADS = { name: `4 MiB uploads into a bucket of a local Ceph, ${CLIENTS} clients, MB/s` } as const;
const UPLOADS_RATIO = { name: `the same / presigned PUT, ${WITHOUT}`, reach: { atLeast: 0.5 } } as const;
const HOT = { name: `4 MiB downloads of what is in the cache, ${CLIENTS} clients, MB/s` } as const;
const HOT_RATIO = { name: `the same / presigned GET, ${WITHOUT}`, reach: { atLeast: 1 } } as const;
const COLD = { name: `4 MiB downloads of what is only in the bucket, ${CLIENTS} clients, MB/s` } as const;
const COLD_RATIO = { name: `the same / presigned GET, ${WITHOUT}`, reach: { atLeast: 0.5 } } as const;

/** How fast contents go into a bucket and come out of it, beside what the engine does alone. */
export const s3: Group = {
  measures: [UPLOADS, UPLOADS_RATIO, HOT, HOT_RATIO, COLD, COLD_RATIO],
  measure: async (run) => {
    if (NO_CEPH === "") await measure(run);
    else run.results.problem("Ceph is skipped", NO_CEPH);
  },
};

async function measure({ sizes, results, newPath }: Run): Promise<void> {
  await using ceph = await startCeph();
  const bucket = await newBucket(ceph);
  const plain = clientOf(ceph.env, bucket);
  const dataDir = newPath();
  const env = { ...ceph.env, COFFER_BLOBS: `s3://${bucket}/coffer` };
  await using server = await serveSilently({ dataDir, env });
  const store = storeOf(server, await signUp(server, "ada"));
  // The first round warms up and does not count.
  for (let round = 0; round <= sizes.rounds; round += 1) {
    const contents = Array.from({ length: FILES }, (_, n) => ({ name: `${round}-${n}`, bytes: newBytes() }));
    const [calls, uploads] = await timed(contents, ({ name, bytes }) => store.store(`${name}.bin`, bytes));
    const puts = contents.map(({ name, bytes }) => ({ url: plain.presign(name, { method: "PUT" }), bytes }));
    const [, plainUploads] = await timed(puts, ({ url, bytes }) => send(url, { ...PUT, body: bytes }));
    const [, hot] = await timed(calls, (call) => send(server.url, call));
    const gets = contents.map(({ name }) => plain.presign(name));
    const [, plainDownloads] = await timed(gets, (url) => send(url, GET));
    await rm(join(dataDir, "cache"), { recursive: true });
    const [, cold] = await timed(calls, (call) => send(server.url, call));
    if (round === 0) continue;
    const add = (measured: Measure, value: number) => results.add(measured, "Coffer", value);
    add(UPLOADS, uploads);
    add(UPLOADS_RATIO, uploads / plainUploads);
    add(HOT, hot);
    add(HOT_RATIO, hot / plainDownloads);
    add(COLD, cold);
    add(COLD_RATIO, cold / plainDownloads);
  }
}

const PUT = { method: "PUT", target: "", headers: {} };
const GET = { method: "GET", target: "", headers: {} };

function newBytes(): Uint8Array<ArrayBuffer> {
  return Buffer.alloc(SIZE, crypto.getRandomValues(new Uint8Array(48 * 1024)));
}

/** Does something with each of the files, some at once. What it gives, and MB a second. */
async function timed<T, R>(files: readonly T[], each: (file: T) => Promise<R>): Promise<[R[], number]> {
  const done: R[] = [];
  const ms = await time(async () => {
    const left = [...files.entries()];
    const client = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift())
        done[next[0]] = await each(next[1]);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  });
  return [done, SENT_MB / (ms / 1000)];
}
