import { type Agent, provision, serveSilently } from "../../support/server/executable.ts";
import { median, time } from "../figures.ts";
import { latencies, rateOf, type RepeatedCall, send } from "../load.ts";
import { fillDrive } from "../peers/coffer.ts";
import type { RecordPages } from "../peers/peer.ts";
import { type Group, inTurn, openPeers, type OpenPeer, type Run } from "../run.ts";

const PAGES = { name: "pages of 50 records a second, 16 clients", reach: { atLeast: 10_000 } } as const;
const ALL = {
  name: "10,000 records in pages of 1,000, ms (nginx: one PROPFIND without pages)",
  reach: { atMost: 1, of: "nginx" },
} as const;
const SHARE = { name: "pages of 50 records / 4 KiB downloads a second", reach: { atLeast: 0.35 } } as const;
const GROWTH = {
  name: "page 1 of 50 in a drive of 100,000 files / of 1,000, times as long",
  reach: { atMost: 2 },
} as const;

const RECORDS = 10_000;
const WARM_UP = 3;
/** How many requests one value of `GROWTH` is the median of. */
const REQUESTS = 100;

/** How fast the records of files are listed. */
export const records: Group = {
  measures: [PAGES, SHARE, ALL, GROWTH],
  measure: async (run) => {
    await listRecords(run);
    await compareDrives(run);
  },
};

async function listRecords(run: Run): Promise<void> {
  const { sizes, results } = run;
  await using ends = new AsyncDisposableStack();
  const peers = await openPeers(run, ends);
  const filled: (OpenPeer & { pages: RecordPages; download: RepeatedCall })[] = [];
  const small = crypto.getRandomValues(new Uint8Array(4096));
  await inTurn(run, peers, "making records", 1, async (peer) => {
    const pages = await peer.store.records(RECORDS);
    filled.push({ ...peer, pages, download: await peer.store.store("one.bin", small) });
  });
  await inTurn(run, filled, "pages of records", sizes.rounds + 1, async (peer, round) => {
    if (peer.pages.first === undefined) return;
    const pressure = { connections: 16, seconds: round === 0 ? 1 : sizes.seconds };
    const { answers } = await rateOf(run, peer.url, peer.pages.first, pressure);
    const downloads = await rateOf(run, peer.url, peer.download, pressure);
    if (round === 0) return;
    results.add(PAGES, peer.name, answers);
    results.add(SHARE, peer.name, answers / downloads.answers);
  });
  // It is short: more rounds, and some to warm up.
  await inTurn(run, filled, "all records", WARM_UP + 4 * sizes.rounds, async (peer, round) => {
    const { all } = peer.pages;
    if (all === undefined) return;
    const ms = await time(async () => {
      for (const page of all) await send(peer.url, page);
    });
    if (round >= WARM_UP) results.add(ALL, peer.name, ms);
  });
}

async function compareDrives({ sizes, results, newPath }: Run): Promise<void> {
  await using server = await serveSilently({ dataDir: newPath() });
  const [small, large] = [await provision(server), await provision(server)];
  await fillDrive(server, small, 1000);
  await fillDrive(server, large, 100_000);
  const medianOf = async ({ drive, key }: Agent) => {
    const headers = { authorization: `Bearer ${key}` };
    const page = { method: "GET", target: `/v0/files?drive_id=${drive}&limit=50`, headers };
    let left = REQUESTS;
    return median(await latencies(server.url, page, () => (left -= 1) < 0));
  };
  for (let round = 0; round < sizes.rounds; round += 1) {
    const ofSmall = await medianOf(small);
    results.add(GROWTH, "Coffer", (await medianOf(large)) / ofSmall);
  }
}
