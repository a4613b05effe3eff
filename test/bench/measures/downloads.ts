import { largeBytes } from "../contents.ts";
import { rateOf } from "../load.ts";
import { type Group, inTurn, openPeers } from "../run.ts";

const SMALL = {
  name: "4 KiB downloads with a key a second, 16 clients (PocketBase: a file token)",
  reach: { atLeast: 0.7, of: "bare Bun" },
} as const;
const LARGE = { name: "100 MiB download, MB/s", reach: { atLeast: 0.9, of: "nginx" } } as const;

/** How fast files are downloaded. */
export const downloads: Group = {
  measures: [SMALL, LARGE],
  measure: async (run) => {
    const { sizes, results } = run;
    await using ends = new AsyncDisposableStack();
    const peers = await openPeers(run, ends);
    const [small, large] = [crypto.getRandomValues(new Uint8Array(4096)), largeBytes()];
    await inTurn(run, peers, "small downloads", sizes.rounds + 1, async ({ name, url, store }, round) => {
      const call = await store.store(`small-${round}.bin`, small);
      // The first round warms up and does not count.
      const seconds = round === 0 ? 1 : sizes.seconds;
      const { answers } = await rateOf(run, url, call, { connections: 16, seconds });
      if (round > 0) results.add(SMALL, name, answers);
    });
    await inTurn(run, peers, "large downloads", sizes.rounds, async ({ name, url, store }, round) => {
      const call = await store.store(`large-${round}.bin`, large);
      const { bytes } = await rateOf(run, url, call, { connections: 1, seconds: sizes.seconds });
      results.add(LARGE, name, bytes / 1e6);
    });
  },
};
