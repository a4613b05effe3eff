import { largeBase64, largeBytes } from "../contents.ts";
import { memoryOf } from "../processes.ts";
import { send } from "../load.ts";
import { type Group, inTurn } from "../run.ts";

const PEAK = {
  name: "peak memory of eight 100 MiB uploads at once, MB (base64 in JSON; PocketBase: in forms; nginx: as they are)",
  reach: { atMost: 100 },
} as const;

/** What large uploads take. */
export const memory: Group = {
  measures: [PEAK],
  measure: (run) =>
    inTurn(run, run.peers, { what: "eight uploads", rounds: run.sizes.peaks }, async (peer) => {
      await using server = await peer.start(run.newPath());
      const store = await server.open();
      const calls = Array.from({ length: 8 }, (_, n) =>
        store.jsonUpload === undefined
          ? store.upload(`peak/${n}.bin`, largeBytes())
          : store.jsonUpload(`peak/${n}.bin`, largeBase64()),
      );
      await Promise.all(calls.map((call) => send(server.url, call)));
      run.results.add(PEAK, peer.name, memoryOf(server.pid, "VmHWM"));
    }),
};
