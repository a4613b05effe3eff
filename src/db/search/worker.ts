import { Database as Sqlite } from "bun:sqlite";
import { thrown } from "../../process/answer-calls.ts";
import { IdleCollection } from "../../process/idle-collection.ts";
import { SearchFinder } from "./finder.ts";
import { type FromWorker, PROGRESS, type SearchRequest, type ToWorker } from "./request.ts";
import { Overrun } from "./work.ts";

// The entry point of its own thread: searches may take long, and a statement cannot be interrupted.

declare const self: Worker;

interface Opened {
  readonly sql: Sqlite;
  readonly finder: SearchFinder;
  readonly progress: Int32Array;
  /** What is found is soon garbage, and so are the pages that were read for it. */
  readonly collection: IdleCollection;
}

const opened = Promise.withResolvers<Opened>();

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case "open":
      try {
        opened.resolve({ ...open(data.path), progress: new Int32Array(data.progress) });
      } catch (error) {
        self.postMessage({ kind: "unopened", thrown: thrown(error) } satisfies FromWorker, []);
      }
      break;
    case "close":
      void close().then((message) => self.postMessage(message, []));
      break;
    case "search":
      void answer(data.id, data.request).then((message) => self.postMessage(message, []));
      break;
  }
});

function open(path: string): Omit<Opened, "progress"> {
  const sql = new Sqlite(path, { readonly: true, strict: true });
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run("PRAGMA temp_store = MEMORY");
  sql.run("PRAGMA cache_size = -16000");
  const collection = new IdleCollection(() => sql.run("PRAGMA shrink_memory"));
  return { sql, finder: new SearchFinder(sql), collection };
}

async function close(): Promise<FromWorker> {
  const { sql, collection } = await opened.promise;
  collection.stop();
  sql.close(true);
  return { kind: "closed" };
}

async function answer(id: number, request: SearchRequest): Promise<FromWorker> {
  const { finder, progress, collection } = await opened.promise;
  const proceedsWith = (search: number) => {
    Atomics.store(progress, PROGRESS.search, search);
    Atomics.add(progress, PROGRESS.statement, 1);
  };
  try {
    return { kind: "found", id, found: await finder.find(request, () => proceedsWith(id)) };
  } catch (error) {
    if (error instanceof Overrun) return { kind: "overrun", id };
    return { kind: "failure", id, thrown: thrown(error) };
  } finally {
    proceedsWith(0);
    collection.delay();
  }
}
