import { Database as Sqlite } from "bun:sqlite";
import type { UpkeepAnswer, UpkeepRequest } from "./upkeep.ts";
import { isFull } from "./write-failures.ts";

// The entry point of a thread: what it does can take long on a slow disk.

declare const self: Worker;

const opened = Promise.withResolvers<Sqlite>();

self.addEventListener("message", ({ data }: MessageEvent<UpkeepRequest>) => {
  if (data.kind === "open") opened.resolve(open(data.path));
  else void opened.promise.then((sql) => self.postMessage(answer(sql, data.kind), []));
});

function open(path: string): Sqlite {
  const sql = new Sqlite(path, { readwrite: true, create: false, strict: true });
  // Only for commands beside the server: the server does not write while this thread does.
  sql.run("PRAGMA busy_timeout = 10000");
  // Syncs the log before it writes to the database file, and that file before the log may restart.
  sql.run("PRAGMA synchronous = NORMAL");
  sql.run("PRAGMA wal_autocheckpoint = 0");
  sql.run("PRAGMA cache_size = -1000");
  return sql;
}

function answer(sql: Sqlite, kind: "checkpoint" | "close"): UpkeepAnswer {
  try {
    // Copies what it can without blocking a reader or a writer. If it fails, everything is still in the log.
    if (kind === "checkpoint") sql.run("PRAGMA wal_checkpoint(PASSIVE)");
    else sql.close();
    return { kind: "done" };
  } catch (error) {
    if (isFull(error)) return { kind: "later" };
    return { kind: "failed", message: error instanceof Error ? String(error.stack) : String(error) };
  }
}
