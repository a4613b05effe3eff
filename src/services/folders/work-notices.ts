import type { RecordedWork } from "../../db/folders/folder-works.ts";
import type { FolderWorkPk } from "../../domain/id.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** The least time between two notices of one work while it goes on, in milliseconds. */
const PAUSE_MS = 1000;
/** How many works that have ended are remembered, for streams that have not been told. */
const ENDED = 100;

interface WorkNotice {
  readonly recorded: RecordedWork;
  readonly hasEnded: boolean;
  /** They count up. */
  readonly number: number;
}

/** Tells streams that works have begun, gone on and ended. Nothing is kept: who comes later asks what is under way. */
export class WorkNotices extends Service<Pick<Parts, "tables" | "changes" | "clock">> {
  /** In the order of their numbers. */
  readonly #kept = new Map<FolderWorkPk, WorkNotice>();
  readonly #told = new Map<FolderWorkPk, number>();
  /** The number of the newest. */
  head = 0;

  /** A work has begun or gone on. Told only now and then. */
  goesOn(pk: FolderWorkPk): void {
    const now = this.parts.clock.now();
    if (now - (this.#told.get(pk) ?? -Infinity) < PAUSE_MS) return;
    const recorded = this.parts.tables.folderWorks.byPk(pk);
    if (recorded === null) return;
    this.#told.set(pk, now);
    this.#keep(recorded, false);
  }

  /** A work has ended, as `recorded`; null if it went with its drive. Told only if its beginning was. */
  ends(pk: FolderWorkPk, recorded: RecordedWork | null): void {
    this.#told.delete(pk);
    const kept = this.#kept.get(pk);
    if (kept !== undefined) this.#keep(recorded ?? kept.recorded, true);
    const ended = [...this.#kept].filter(([, { hasEnded }]) => hasEnded);
    for (const [old] of ended.slice(0, -ENDED)) this.#kept.delete(old);
  }

  /** What is to be told after a number; null for all that is under way. */
  after(number: number | null): readonly WorkNotice[] {
    return [...this.#kept.values()].filter((each) =>
      number === null ? !each.hasEnded : each.number > number,
    );
  }

  #keep(recorded: RecordedWork, hasEnded: boolean): void {
    const { pk, work } = recorded;
    this.head += 1;
    this.#kept.delete(pk);
    this.#kept.set(pk, { recorded, hasEnded, number: this.head });
    this.parts.changes.hub.wake(work.to === null ? [work.from.drive] : [work.from.drive, work.to.drive]);
  }
}
