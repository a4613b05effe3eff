import { setTimeout as sleep } from "node:timers/promises";
import type { KeptPage } from "../../db/history/kept.ts";
import { KeptCounts } from "../kept-counts.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** What is in all drives together. Bytes of equal contents count each time, unless it says otherwise. */
interface Sizes {
  readonly drives: number;
  /** Expired ones count until the sweep removes them. */
  readonly files: number;
  readonly fileBytes: number;
  readonly versionBytes: number;
  readonly trashBytes: number;
  /** Bytes of contents in versions, the trash and snapshots that no file has; once for each drive. */
  readonly keptBytes: number;
}

/** How many versions, or entries of the trash, one statement reads. */
const ROWS = 200;
/** How long somebody waits for a count, in milliseconds. */
const WAIT_MS = 500;

/** Adds up how much is stored, when somebody asks. */
export class StoredSizes extends Service<Pick<Parts, "tables" | "clock">> {
  readonly #counts = new KeptCounts<"all", Sizes>({ clock: this.parts.clock, most: 1 });
  #last: Sizes | null = null;

  /** Of all drives; where to count that takes long, as it was the last time, or null while there was none. */
  async sizes(): Promise<Sizes | null> {
    const counted = this.#counts.of("all", () => this.#count()).then((sizes) => (this.#last = sizes));
    const late = sleep(WAIT_MS, null, { ref: false }).then(() => this.#last);
    return Promise.race([counted, late]);
  }

  *#count(): Generator<void, Sizes> {
    const { tables, clock } = this.parts;
    const sums = { drives: 0, files: 0, fileBytes: 0, keptBytes: 0 };
    for (const { isAlive, files, bytes, kept } of tables.driveSizes.each(clock.now())) {
      yield;
      if (!isAlive) continue;
      sums.drives += 1;
      sums.files += files;
      sums.fileBytes += bytes;
      sums.keptBytes += kept;
    }
    const versionBytes = yield* bytesIn(tables.keptPages.versions);
    return { ...sums, versionBytes, trashBytes: yield* bytesIn(tables.keptPages.trash) };
  }
}

function* bytesIn(pageAfter: (after: number, limit: number) => KeptPage): Generator<void, number> {
  let sum = 0;
  for (let after: number | null = 0; after !== null;) {
    const { count, bytes, last } = pageAfter(after, ROWS);
    yield;
    sum += bytes;
    after = count === ROWS ? last : null;
  }
  return sum;
}
