import { Database as Sqlite } from "bun:sqlite";
import { answerCalls } from "../../process/answer-calls.ts";

// The entry point of a thread: what it does can take long on a slow disk.

/** How long to wait for other connections, in milliseconds. */
const BUSY_MS = 10_000;
/** The same while writes wait. */
const SHORT_BUSY_MS = 500;

const opened = Promise.withResolvers<Sqlite>();

const calls = {
  open: (path: string) => opened.resolve(open(path)),
  // Copies what it can without blocking a reader or a writer. If it fails, everything is still in the log.
  checkpoint: async () => void (await opened.promise).run("PRAGMA wal_checkpoint(PASSIVE)"),
  emptyLog: async () => emptyLog(await opened.promise),
  close: async () => (await opened.promise).close(),
};

export type CheckpointCalls = typeof calls;

answerCalls(calls);

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

/** Programs that replicate the database may read the log for as long as they run. */
function emptyLog(sql: Sqlite): void {
  sql.run(`PRAGMA busy_timeout = ${SHORT_BUSY_MS}`);
  try {
    sql.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    sql.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}
