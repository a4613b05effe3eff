import { setImmediate as nextTurn } from "node:timers/promises";
import { type BlobFacts, DamagedBlob, requireBytes } from "../blobs/blob-file.ts";
import type { Snapshot } from "../db/upkeep/database-copy.ts";

/** How many contents are checked in one turn of the event loop. */
const A_TURN = 100;

/** A content in a copy of the database, and what is wrong with it. */
export interface DamagedSmallContent extends BlobFacts {
  readonly damage: DamagedBlob;
}

/** Checks every byte of the contents that are in a copy of the database. Yields those that are damaged. */
export async function* damagedSmallContents(snapshot: Snapshot): AsyncGenerator<DamagedSmallContent> {
  let checked = 0;
  for (const { digest, size, bytes } of snapshot.smallContents()) {
    const damage = damageOf(bytes, { digest, size });
    if (damage !== null) yield { digest, size, damage };
    checked += 1;
    if (checked % A_TURN === 0) await nextTurn();
  }
}

function damageOf(bytes: Uint8Array, content: BlobFacts): DamagedBlob | null {
  try {
    requireBytes(`content ${content.digest} in the database`, bytes, content);
    return null;
  } catch (error) {
    if (error instanceof DamagedBlob) return error;
    throw error;
  }
}
