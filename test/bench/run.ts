import type { Peer, Store } from "./peers/peer.ts";
import type { Results } from "./results.ts";
import type { Sizes } from "./sizes.ts";
import type { Measure, PeerName } from "./table.ts";

/** What every group of measurements gets. */
export interface Run {
  readonly sizes: Sizes;
  readonly results: Results;
  /** Those that are there. */
  readonly peers: readonly Peer[];
  /** A path in the directory of this group at which nothing is yet. */
  readonly newPath: () => string;
}

/** Lines of the table that are measured together. */
export interface Group {
  readonly measures: readonly Measure[];
  readonly measure: (run: Run) => Promise<void>;
}

/** A server that is signed in to. */
export interface OpenPeer {
  readonly name: PeerName;
  readonly url: string;
  readonly store: Store;
}

/** Starts all peers side by side, each with a new directory, until `ends` is disposed of. One that fails is left out. */
export async function openPeers({ peers, results, newPath }: Run, ends: AsyncDisposableStack) {
  const opened: OpenPeer[] = [];
  for (const { name, start } of peers) {
    try {
      const { url, open } = ends.use(await start(newPath()));
      opened.push({ name, url, store: await open() });
    } catch (error) {
      results.problem(`${name} does not start`, error);
    }
  }
  return opened;
}

/** Measures each peer in turn, so many times. A peer that fails is not measured again. */
export async function inTurn<P extends { readonly name: PeerName }>(
  { results }: Run,
  peers: readonly P[],
  what: string,
  rounds: number,
  measure: (peer: P, round: number) => Promise<void>,
): Promise<void> {
  const left = new Set(peers);
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of left) {
      try {
        await measure(peer, round);
      } catch (error) {
        left.delete(peer);
        results.problem(`${peer.name}, ${what}`, error);
      }
    }
  }
}
