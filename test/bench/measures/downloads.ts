import { largeBytes } from "../contents.ts";
import { rateOf } from "../load.ts";
import { type Group, inTurn, openPeers } from "../run.ts";

const SMALL = {
  name: "4 KiB downloads with a key a second, 16 clients (bare Bun answers from memory)",
  reach: { atLeastTimes: 1, of: "bare Bun" },
} as const;
const LARGE = { name: "100 MiB download, MB/s", reach: { atLeastTimes: 0.9, of: "nginx" } } as const;

/** How fast files are downloaded. */
export const downloads: Group = {
  measures: [SMALL, LARGE],
  measure: async (run) => {
    const { sizes, results } = run;
    await using opened = await openPeers(run);
    const calls = new Map(
      [
        { measure: SMALL, content: crypto.getRandomValues(new Uint8Array(4096)), connections: 16 },
        { measure: LARGE, content: largeBytes(), connections: 1 },
      ].map((each) => [each.measure, each]),
    );
    for (const { measure, content, connections } of calls.values()) {
      const path = `${content.length}.bin`;
      // The first of each warms up and does not count.
      await inTurn(
        run,
        opened.peers,
        { what: measure.name, rounds: sizes.rounds + 1 },
        async (peer, round) => {
          const call = await peer.store.store(`${round}-${path}`, content);
          const seconds = round === 0 ? 1 : sizes.seconds;
          const { answers, bytes } = await rateOf(run, peer.url, call, { connections, seconds });
          if (round > 0) results.add(measure, peer.name, measure === SMALL ? answers : bytes / 1e6);
        },
      );
    }
  },
};
