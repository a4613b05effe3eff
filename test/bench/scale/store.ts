import { rowsIn } from "../../support/faults/change-database.ts";
import { type Agent, type Server, serveSilently, signUp } from "../../support/server/executable.ts";
import { overAfter } from "../load.ts";
import { processorTime } from "../processes.ts";
import { fill, MANY, uploadSources } from "./fill.ts";

/** Larger drives are not indexed further: it takes 0.1 to 0.2 ms a file. */
const INDEXED = 1_000_000;
/** How often it is asked whether all is indexed, in milliseconds. */
const INDEXING_MS = 200;
/** A server that uses the processor for a fiftieth of this time is at rest, in milliseconds. */
const REST_MS = 1000;
/** Nothing else is waited for longer, in seconds. */
const PATIENCE_SECONDS = 60;

/** A data directory with one drive. */
export interface Store {
  readonly dataDir: string;
  readonly drive: string;
  readonly key: string;
  /** See `fill`. */
  readonly sources: readonly string[];
  readonly size: number;
  /** The number of the last row of a file that the index has, if it lacks others. */
  readonly indexedTo: number | null;
}

/** Files that are indexed, and then others that are not, if there are that many. */
export async function newStore(dataDir: string, size: number): Promise<Store> {
  const server = await serveSilently({ dataDir });
  const { drive, key, client } = await signUp(server, "ada");
  const sources = await uploadSources({ drive, key, client });
  await server.stop();
  const indexed = Math.min(size, INDEXED);
  await fill(dataDir, { sources, folder: MANY, first: 0, count: indexed, isIndexed: true });
  const store = { dataDir, drive, key, sources, size, indexedTo: null };
  await withServer(store, async () => {});
  if (indexed === size) return store;
  const indexedTo = Number(rowsIn(dataDir, "SELECT max(pk) FROM file")[0]?.[0]);
  await fill(dataDir, { sources, folder: MANY, first: indexed, count: size - indexed, isIndexed: false });
  return { ...store, indexedTo };
}

/** With a server, once everything is indexed that is to be. */
export async function withServer(
  { dataDir, drive, key }: Store,
  work: (agent: Agent, server: Server) => Promise<void>,
) {
  await using server = await serveSilently({ dataDir });
  await untilIndexed(dataDir, server.pid);
  await work({ client: server.client(key), drive, key }, server);
  await server.stop();
}

/** Waits until everything is indexed, of a large drive for minutes, and then until the index is not merged any more. */
export async function untilIndexed(dataDir: string, pid: number): Promise<void> {
  const hasJob = "SELECT 1 FROM search_job LIMIT 1";
  while (rowsIn(dataDir, hasJob).length > 0) await Bun.sleep(INDEXING_MS);
  const isOver = overAfter(PATIENCE_SECONDS);
  while (!isOver() && (await processorTime(pid, () => Bun.sleep(REST_MS))) > REST_MS / 50);
}
