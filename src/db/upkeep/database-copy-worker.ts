import { Database as Sqlite } from "bun:sqlite";

// The entry point of a thread: SQLite copies the whole database in one call.

declare const self: Worker;

export interface CopyRequest {
  /** Of the database. */
  readonly from: string;
  /** Of a file that does not exist. */
  readonly to: string;
}

export type CopyAnswer =
  { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string; readonly code: string };

self.addEventListener("message", ({ data }: MessageEvent<CopyRequest>) => {
  self.postMessage(snapshot(data), []);
});

function snapshot({ from, to }: CopyRequest): CopyAnswer {
  try {
    using sql = new Sqlite(from, { readwrite: true, create: false, strict: true });
    sql.run("PRAGMA busy_timeout = 10000");
    sql.run("PRAGMA cache_size = -2000");
    sql.run("VACUUM INTO ?", [to]);
    return { kind: "done" };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return { kind: "failed", message: error instanceof Error ? error.message : String(error), code };
  }
}
