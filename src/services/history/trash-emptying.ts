import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { DriveId } from "../../domain/id.ts";
import { keptSince } from "../../domain/history/retention.ts";
import type { TrashPosition } from "../../domain/history/trash.ts";
import type { Parts } from "../parts.ts";
import { requireFurther } from "../pieces.ts";

/** How many entries one step counts, and how many one transaction marks. */
const STEPS = { count: 2000, mark: 200 };

/** What emptying the trash of a drive would delete, or has deleted. */
export interface EmptiedTrash {
  readonly driveId: DriveId;
  readonly entries: number;
}

/** One transaction of emptying a trash, and where the next goes on; null at the end. */
interface Step {
  readonly emptied: EmptiedTrash;
  readonly last: TrashPosition | null;
}

/** Deletes for good what is in the trash of a drive. Only who manages the drive can. */
export class TrashEmptying {
  readonly #parts;

  constructor(parts: Pick<Parts, "tables" | "access" | "retention" | "clock">) {
    this.#parts = parts;
  }

  /** Counts what `empty` would delete. It changes nothing, but is a write, so `within` can keep the response. */
  async preview(caller: Caller, driveId: string, within?: Within<EmptiedTrash>): Promise<EmptiedTrash> {
    const drive = this.#parts.access.driveToManage(caller, driveId);
    let entries = 0;
    for (let after: TrashPosition | null = this.#oldest(); after !== null; await nextTurn()) {
      const some = this.#parts.tables.trash.some(drive.pk, after, STEPS.count);
      entries += some.length;
      after = some.length < STEPS.count ? null : (some.at(-1) ?? null);
    }
    return this.#parts.access.writeFromReserve(caller, within, () => {
      const { id } = this.#parts.access.driveToManage(caller, driveId);
      return { driveId: id, entries };
    });
  }

  /**
   * Deletes for good what is in the trash of a drive, in several transactions; `within` is called in the last one. What
   * a running deletion or restore uses stays. After an error, entries of earlier transactions stay deleted.
   */
  async empty(caller: Caller, driveId: string, within?: Within<EmptiedTrash>): Promise<EmptiedTrash> {
    const { trash } = this.#parts.tables;
    let [entries, after] = [0, this.#oldest()];
    for (;;) {
      const step = await this.#parts.access.writeFromReserve(
        caller,
        ({ emptied, last }: Step) => (last === null ? within?.(emptied) : undefined),
        (): Step => {
          const drive = this.#parts.access.driveToManage(caller, driveId);
          const some = trash.some(drive.pk, after, STEPS.mark);
          for (const { pk } of some) trash.setState(pk, "gone");
          const emptied = { driveId: drive.id, entries: entries + some.length };
          return { emptied, last: some.length < STEPS.mark ? null : (some.at(-1) ?? null) };
        },
      );
      if (step.last === null) return step.emptied;
      requireFurther("the emptying of a trash", after.id, step.last.id);
      [entries, after] = [step.emptied.entries, step.last];
    }
  }

  /** The position before all entries that are kept still. */
  #oldest(): TrashPosition {
    return { deletedAt: keptSince(this.#parts.retention, this.#parts.clock.now()) + 1, id: "" };
  }
}
