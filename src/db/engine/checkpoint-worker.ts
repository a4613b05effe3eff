import { Database as Sqlite } from "bun:sqlite";
import type { CheckpointAnswer, CheckpointRequest } from "./checkpoint-thread.ts";
import { isFull } from "./write-failures.ts";

// The entry point of a thread: what it does can take long on a slow disk.

declare const self: Worker;

/** How long to wait for other connections, in milliseconds. */
const BUSY_MS = 10_000;
/** The same while writes wait. */
const SHORT_BUSY_MS = 500;

const opened = Promise.withResolvers<Sqlite>();

self.addEventListener("message", ({ data }: MessageEvent<CheckpointRequest>) => {
  if (data.kind === "open") opened.resolve(open(data.path));
  else void opened.promise.then((sql) => self.postMessage(answer(sql, data.kind), []));
});

function open(path: string): Sqlite {
  const sql = new Sqlite(path, { readwrite: true, create: false, strict: true });
  // Only for commands beside the server: the server does not write while this thread does.
  sql.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // Syncs the log before it writes to the database file, and that file before the log may restart.
  sql.run("PRAGMA synchronous = NORMAL");
  sql.run("PRAGMA wal_autocheckpoint = 0");
  sql.run("PRAGMA cache_size = -1000");
  return sql;
}

function answer(sql: Sqlite, kind: Exclude<CheckpointRequest["kind"], "open">): CheckpointAnswer {
  try {
    // Copies what it can without blocking a reader or a writer. If it fails, everything is still in the log.
    if (kind === "checkpoint") sql.run("PRAGMA wal_checkpoint(PASSIVE)");
    else if (kind === "empty-log") emptyLog(sql);
    else sql.close();
    return { kind: "done" };
  } catch (error) {
    if (isFull(error)) return { kind: "later" };
    return { kind: "failed", message: error instanceof Error ? String(error.stack) : String(error) };
  }
}

/** Programs that replicate the database may read the log for as long as they run. */
function emptyLog(sql: Sqlite): void {
  sql.run(`PRAGMA busy_timeout = ${SHORT_BUSY_MS}`);
  try {
    sql.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    sql.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}
