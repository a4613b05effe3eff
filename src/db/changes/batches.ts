import type { Batch } from "../../domain/changes/batch.ts";
import { actorText, parseActor } from "../../domain/changes/change.ts";
import type { BatchId } from "../../domain/id.ts";
import type { Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

type Row = Flagged<Omit<Batch, "by">, "isAtomic"> & { actor: string | null };

/** Batches of changes that are under way. Usually there are none. */
export function batches({ sql }: Database) {
  const insert = sql.write<[Row]>(
    "INSERT OR IGNORE INTO batch (id, kind, actor, is_atomic) VALUES (:id, :kind, :actor, :isAtomic)",
  );
  return {
    all: sql.all<Row, [], Batch>(
      "SELECT id, kind, actor, is_atomic AS isAtomic FROM batch ORDER BY id",
      ({ actor, isAtomic, ...row }) => ({ ...row, isAtomic: isAtomic === 1, by: parseActor(actor) }),
    ),
    isUnderWay: sql.has<[id: BatchId]>("SELECT 1 FROM batch WHERE id = ?"),
    /** Does nothing for one that is under way already. Inside a write. */
    begin: ({ by, isAtomic, ...batch }: Batch) =>
      insert({ ...batch, actor: actorText(by), isAtomic: isAtomic ? 1 : 0 }),
    /** Returns whether it was under way. Inside a write. */
    end: sql.writeAny<[id: BatchId]>("DELETE FROM batch WHERE id = ?"),
  };
}
