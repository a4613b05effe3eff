import { Database as Sqlite } from "bun:sqlite";
import type { Digest } from "../../domain/contents/content.ts";
import type { BlobPk, FilePk } from "../../domain/id.ts";
import { Connection } from "../engine/connection.ts";
import { attachIndex } from "./index-tables.ts";
import { PART } from "./jobs.ts";

/** A content, and a file that has it. */
export interface EmbeddedContent {
  readonly blob: BlobPk;
  readonly digest: Digest;
  readonly size: number;
  readonly file: FilePk;
  readonly mimeType: string;
  /** Whether the index may not have the text of this file yet, but of what it was before. */
  readonly isStale: 0 | 1;
}

const CONTENTS = `SELECT b.pk AS blob, b.digest, b.size, f.pk AS file, f.mime_type AS mimeType,
    EXISTS (SELECT 1 FROM search_job j WHERE j.file = f.pk AND j.parts & ${PART.text}) AS isStale
  FROM blob b CROSS JOIN file f ON f.pk = (SELECT x.pk FROM file x WHERE x.blob = b.pk LIMIT 1)`;

/** Reads which contents there are, on a connection of its own. */
export class EmbeddedContents {
  readonly #sql: Sqlite;
  /** The next after one, in the order of their handles. */
  readonly after;
  readonly of;
  readonly has;
  /** The bytes of a small content; null where it is none. */
  readonly smallBytes;

  constructor(path: string) {
    this.#sql = new Sqlite(path, { readonly: true, strict: true });
    this.#sql.run("PRAGMA busy_timeout = 10000");
    const connection = new Connection(this.#sql);
    this.after = connection.all<EmbeddedContent, [blob: number, limit: number]>(
      `${CONTENTS} WHERE b.pk > ? ORDER BY b.pk LIMIT ?`,
    );
    this.of = connection.get<EmbeddedContent, [blob: BlobPk]>(`${CONTENTS} WHERE b.pk = ?`);
    this.has = connection.has<[digest: Digest]>("SELECT 1 FROM blob WHERE digest = ?");
    this.smallBytes = connection.value<Uint8Array<ArrayBuffer>, [blob: BlobPk]>(
      "SELECT bytes FROM small_content WHERE blob = ?",
    );
  }

  /** The text of a document, as the index has it; empty if it has none. Null if there is no index for now. */
  documentText(file: FilePk): string | null {
    // Only for this moment: the index may be made again at any time.
    if (attachIndex(this.#sql) !== "attached") return null;
    try {
      using statement = this.#sql.prepare<{ text: Uint8Array<ArrayBuffer> }, [FilePk]>(
        "SELECT text FROM search.search_document WHERE file = ?",
      );
      const row = statement.get(file);
      return row === null ? "" : Bun.zstdDecompressSync(row.text).toString();
    } finally {
      this.#sql.run("DETACH search");
    }
  }

  close(): void {
    this.#sql.close();
  }
}
