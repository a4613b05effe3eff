import { Database as Sqlite } from "bun:sqlite";
import { answerCalls } from "../../process/answer-calls.ts";

// The entry point of a thread: SQLite copies the whole database in one call.

const calls = {
  /** @param to a file that does not exist */
  copy: (from: string, to: string) => {
    using sql = new Sqlite(from, { readwrite: true, create: false, strict: true });
    sql.run("PRAGMA busy_timeout = 10000");
    sql.run("PRAGMA cache_size = -2000");
    sql.run("VACUUM INTO ?", [to]);
  },
};

export type CopyCalls = typeof calls;

answerCalls(calls);
