import { Database as Sqlite } from "bun:sqlite";
import type { CheckpointAnswer, CheckpointRequest } from "./checkpoints.ts";
import { isFull } from "./write-failures.ts";

// The entry point of a thread: a checkpoint writes and syncs, and both can take long on a slow disk.

declare const self: Worker;

const opened = Promise.withResolvers<Sqlite>();

self.addEventListener("message", ({ data }: MessageEvent<CheckpointRequest>) => {
  switch (data.kind) {
    case "open":
      opened.resolve(open(data.path));
      break;
    case "checkpoint":
      void opened.promise.then((sql) => self.postMessage(checkpoint(sql), []));
      break;
    case "close":
      void opened.promise.then((sql) => self.postMessage(close(sql), []));
      break;
  }
});

function open(path: string): Sqlite {
  const sql = new Sqlite(path, { readwrite: true, create: false, strict: true });
  // Syncs the log before it writes to the database file, and that file before the log may restart.
  sql.run("PRAGMA synchronous = NORMAL");
  sql.run("PRAGMA cache_size = -64");
  return sql;
}

function checkpoint(sql: Sqlite): CheckpointAnswer {
  try {
    // Copies what it can without blocking a reader or a writer.
    sql.run("PRAGMA wal_checkpoint(PASSIVE)");
    return { kind: "done" };
  } catch (error) {
    // Everything is still in the log.
    if (isFull(error)) return { kind: "later" };
    return { kind: "failed", message: error instanceof Error ? String(error.stack) : String(error) };
  }
}

function close(sql: Sqlite): CheckpointAnswer {
  sql.close();
  return { kind: "done" };
}
