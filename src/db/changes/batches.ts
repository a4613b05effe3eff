import type { Batch } from "../../domain/changes/batch.ts";
import { actorText, parseActor } from "../../domain/changes/change.ts";
import type { File } from "../../domain/files/file.ts";
import type { BatchId, FileId } from "../../domain/id.ts";
import type { FileBody } from "../files/files.ts";
import type { Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

type Row = Flagged<Omit<Batch, "by">, "isAtomic"> & { actor: string | null };

/** What a file has beside its content and place. */
type Replaced = Omit<FileBody, "blob" | "size">;

/** Batches of changes that are under way. Usually there are none. */
export function batches({ sql }: Database) {
  const insert = sql.write<[Row]>(
    "INSERT OR IGNORE INTO batch (id, kind, actor, is_atomic) VALUES (:id, :kind, :actor, :isAtomic)",
  );
  const keepReplaced = sql.write<[batch: BatchId, file: FileId, attributes: string]>(
    "INSERT OR IGNORE INTO batch_replaced (batch, file_id, attributes) VALUES (?, ?, ?)",
  );
  return {
    all: sql.all<Row, [], Batch>(
      "SELECT id, kind, actor, is_atomic AS isAtomic FROM batch ORDER BY id",
      ({ actor, isAtomic, ...row }) => ({ ...row, isAtomic: isAtomic === 1, by: parseActor(actor) }),
    ),
    /** Keeps what a file had beside its content before the batch replaced it, until that ends. Inside a write. */
    keepReplaced: (batch: BatchId, file: File) => {
      const { filename, mimeType, mimeGiven, tags, metadata, expiresAt } = file;
      const replaced: Replaced = { filename, mimeType, mimeGiven, tags, metadata, expiresAt };
      keepReplaced(batch, file.id, JSON.stringify(replaced));
    },
    replaced: sql.get<{ attributes: string }, [batch: BatchId, file: FileId], Replaced>(
      "SELECT attributes FROM batch_replaced WHERE batch = ? AND file_id = ?",
      ({ attributes }) => JSON.parse(attributes),
    ),
    isUnderWay: sql.has<[id: BatchId]>("SELECT 1 FROM batch WHERE id = ?"),
    /** Does nothing for one that is under way already. Inside a write. */
    begin: ({ by, isAtomic, ...batch }: Batch) =>
      insert({ ...batch, actor: actorText(by), isAtomic: isAtomic ? 1 : 0 }),
    /** Returns whether it was under way. Inside a write. */
    end: sql.writeAny<[id: BatchId]>("DELETE FROM batch WHERE id = ?"),
  };
}
