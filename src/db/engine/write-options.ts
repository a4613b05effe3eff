import type { Clock } from "../../process/clock.ts";
import type { DatabaseLog } from "./database-log.ts";
import type { DatabaseReserve } from "./database-reserve.ts";

/** Which disk space a write may use: what is free, or the database's reserve too. */
export type Room = "free" | "reserve";

export interface WriteOptions {
  readonly room: Room;
  /** Whether it is answered only when it is on the disk. What can be made again from the rest needs no sync. */
  readonly isDurable: boolean;
}

export interface WriteQueueOptions {
  readonly clock: Clock;
  /** Syncs the database's log, which a commit does not. */
  readonly log: DatabaseLog;
  /** Ends the transaction of the reads before a batch, if one is open. */
  readonly endReads: () => void;
  readonly onCommit: () => void;
  /** Called when all commits so far are on the disk, before their writes are answered. */
  readonly onDurable: () => void;
  /** Null if there is none: then every write may use what is free. */
  readonly reserve: DatabaseReserve | null;
  /** Called on a full disk, while nothing is written: gives back the space that the log takes. Must not reject. */
  readonly emptyLog: () => Promise<void>;
  /** Called once, with the error, when nothing can be written any more. */
  readonly onFailure: (error: unknown) => void;
}
