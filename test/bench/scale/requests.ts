import type { Agent, Server } from "../../support/server/executable.ts";
import { processorTime } from "../processes.ts";
import { MANY, ownWord, TAG } from "./fill.ts";
import { ACROSS, Growth, type Scale } from "./growth.ts";
import type { Panel } from "./plot.ts";
import { type Store, untilIndexed, withServer } from "./store.ts";

/** How many requests of each kind are not measured: the first take longer. */
const WARM_UP = 100;
/** How many snapshots are taken. */
const TAKEN = 10;

const first = new Growth("first");
const later = new Growth("after a cursor in the middle");
const bySize = new Growth("by size");
const word = new Growth("a rare word");
const name = new Growth("a numbered name");
const tag = new Growth("a frequent tag");
const upload = new Growth("upload");
const removal = new Growth("deletion");
const snapshot = new Growth("taken");
const firstChange = new Growth("first change after it");

/** What the processor spends on requests. */
export const REQUESTS: readonly Panel[] = [
  { title: "A page of 50 files, ms of the processor", across: ACROSS, curves: [first, later, bySize] },
  { title: "A search, ms of the processor", across: ACROSS, curves: [word, name, tag] },
  { title: "One file of 4 KiB, ms of the processor", across: ACROSS, curves: [upload, removal] },
  { title: "A snapshot, ms of the processor", across: ACROSS, curves: [snapshot, firstChange] },
];

/** Adds to `REQUESTS`. */
export function measureRequests(scale: Scale, store: Store): Promise<void> {
  return withServer(store, async (agent, server) => {
    await read(scale, store, agent, server);
    if (store.indexedTo === null) await search(scale, store, agent, server);
    await change(scale, store, agent, server);
  });
}

/** What the server spends on each of so many requests, in milliseconds of the processor. */
async function costs(
  { pid }: Server,
  count: number,
  work: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) all.push(await processorTime(pid, () => work(n)));
  return all;
}

async function read(
  { rounds }: Scale,
  { size }: Store,
  { client, drive }: Agent,
  server: Server,
): Promise<void> {
  const list = (query: string) => () =>
    client.get<{ next_cursor: string }>(`/v0/files?drive_id=${drive}&${query}`);
  const middle = await list(`limit=1&page=${size / 2}`)();
  const pages = [
    { growth: first, page: list("limit=50") },
    { growth: later, page: list(`limit=50&cursor=${middle.next_cursor}`) },
    { growth: bySize, page: list(`limit=50&delimiter=/&prefix=${MANY}&sort=size`) },
  ];
  for (const { growth, page } of pages) {
    await costs(server, WARM_UP, page);
    growth.add(size, await costs(server, rounds, page));
  }
}

/** Looks for words of one text each, for names of one file each, and for a tag. */
async function search(
  { rounds }: Scale,
  { dataDir, size }: Store,
  { client, drive }: Agent,
  server: Server,
): Promise<void> {
  const all = rounds + WARM_UP;
  for (let n = 0; n < all; n += 1) await client.put(drive, `words/${n}.txt`, `The rarity${n} is only here.`);
  await untilIndexed(dataDir, server.pid);
  const find = (query: string) => client.get(`/v0/search?drive_id=${drive}&limit=50&${query}`);
  const questions = [
    { growth: word, query: (n: number) => `q=rarity${n}` },
    { growth: name, query: (n: number) => `q=${ownWord(Math.floor(((n + 0.5) * size) / all))}` },
    { growth: tag, query: () => `tags=${TAG}` },
  ];
  for (const { growth, query } of questions) {
    await costs(server, WARM_UP, (n) => find(query(rounds + n)));
    growth.add(size, await costs(server, rounds, (n) => find(query(n))));
  }
}

function content(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(4096));
}

async function change(
  { rounds }: Scale,
  { size }: Store,
  { client, drive }: Agent,
  server: Server,
): Promise<void> {
  const ids: string[] = [];
  const put = async (path: string) => ids.push((await client.put(drive, path, content())).id);
  await costs(server, WARM_UP, (n) => put(`${MANY}warm-${n}.bin`));
  upload.add(size, await costs(server, rounds, (n) => put(`${MANY}new-${n}.bin`)));
  removal.add(size, await costs(server, rounds, (n) => client.delete(`/v0/files/${ids[n]}`)));
  const takes: number[] = [];
  const changes: number[] = [];
  for (let n = 0; n < TAKEN; n += 1) {
    takes.push(...(await costs(server, 1, () => client.post(`/v0/drives/${drive}/snapshots`))));
    changes.push(...(await costs(server, 1, () => client.put(drive, `${MANY}after-${n}.bin`, content()))));
  }
  snapshot.add(size, takes);
  firstChange.add(size, changes);
}
