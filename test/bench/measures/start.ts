import { stat } from "node:fs/promises";
import { executable } from "../../support/server/executable.ts";
import { memoryOf } from "../processes.ts";
import { type Group, inTurn } from "../run.ts";

const FIRST = { name: "start to the first answer with a new directory, ms" } as const;
const START = {
  name: "start to the first answer, ms (bare Bun: with `bun`, not compiled)",
  reach: { atMost: 2, of: "PocketBase" },
} as const;
const IDLE = { name: "memory a second after the start, MB", reach: { atMost: 50 } } as const;
const OWN = {
  name: "anonymous memory a second after the start, MB (the rest are pages of the executable and other files)",
  reach: { atMost: 20 },
} as const;
const SIZE = { name: "size of the executable, MB" } as const;

/** How long a start takes, and what a server takes that does nothing. */
export const start: Group = {
  measures: [START, FIRST, IDLE, OWN, SIZE],
  measure: async (run) => {
    run.results.add(SIZE, "Coffer", (await stat(await executable())).size / 1e6);
    const directories = new Map(run.peers.map(({ name }) => [name, run.newPath()]));
    await inTurn(run, run.peers, "start", 1 + 2 * run.sizes.rounds, async (peer, round) => {
      const since = performance.now();
      await using server = await peer.start(directories.get(peer.name) ?? run.newPath());
      const ms = performance.now() - since;
      run.results.add(round === 0 ? FIRST : START, peer.name, ms);
      if (round > run.sizes.rounds) return;
      await Bun.sleep(1000);
      // What a new directory gives to do, above all its search index, is done by now.
      if (round === 0) return;
      run.results.add(IDLE, peer.name, memoryOf(server.pid, "VmRSS"));
      run.results.add(OWN, peer.name, memoryOf(server.pid, "RssAnon"));
    });
  },
};
