import { LARGE_MB, largeBase64, largeBytes } from "../contents.ts";
import { time } from "../figures.ts";
import { rateOf, send, withFile } from "../load.ts";
import { type Group, inTurn, openPeers } from "../run.ts";

const SMALL = {
  name: "4 KiB uploads a second, 16 clients (only Coffer syncs; nginx keeps no record, bare Bun only a hash)",
  reach: { atLeast: 1.5, of: "PocketBase" },
} as const;
const JSON_100 = {
  name: "100 MiB upload, base64 in JSON, MB/s (only Coffer syncs)",
  reach: { atLeast: 450 },
} as const;
const RAW_100 = {
  name: "100 MiB upload, MB/s (PocketBase: in a form; only Coffer syncs, nginx does not hash)",
  reach: { atLeast: 700 },
} as const;

/** How fast small and large files are uploaded. */
export const uploads: Group = {
  measures: [SMALL, JSON_100, RAW_100],
  measure: async (run) => {
    const { sizes, results } = run;
    await using ends = new AsyncDisposableStack();
    const peers = await openPeers(run, ends);
    const rounds = sizes.rounds;
    const pressure = { connections: 16, seconds: sizes.seconds };
    await inTurn(run, peers, "warming up", 1, async ({ url, store }) => {
      await rateOf(run, url, store.smallUpload, { ...pressure, seconds: 1 });
    });
    await inTurn(run, peers, "small uploads", rounds, async ({ name, url, store }) => {
      results.add(SMALL, name, (await rateOf(run, url, store.smallUpload, pressure)).answers);
    });
    // Else the system would write what the small ones left while large ones are measured.
    await Bun.spawn(["sync"]).exited;
    // The first of each warms up and does not count.
    await inTurn(run, peers, "JSON uploads", rounds + 1, async ({ name, url, store }, round) => {
      if (store.jsonUpload === undefined) return;
      await using call = await withFile(run, store.jsonUpload(`large/${round}.bin`, largeBase64()));
      const ms = await time(() => send(url, call));
      if (round > 0) results.add(JSON_100, name, LARGE_MB / (ms / 1000));
    });
    await inTurn(run, peers, "large uploads", rounds + 1, async ({ name, url, store }, round) => {
      await using call = await withFile(run, store.upload(`large/raw-${round}.bin`, largeBytes()));
      const ms = await time(() => send(url, call));
      if (round > 0) results.add(RAW_100, name, LARGE_MB / (ms / 1000));
    });
  },
};
