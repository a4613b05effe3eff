import type { DriveSize } from "../../db/drives/drive-sizes.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { Largest } from "../../domain/largest.ts";
import { USAGE_DRIVES } from "../../domain/limits.ts";
import { KeptCounts } from "../kept-counts.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Users } from "./users.ts";

interface Sizes {
  /** The largest drives, largest first. */
  readonly largest: readonly DriveSize[];
  /** All others together. */
  readonly others: { readonly drives: number; readonly files: number; readonly bytes: number };
}

/** One of the largest drives. */
export type DriveUse = DriveSize & {
  /** Null for a drive that the caller does not see: administrators are not told what others call theirs. */
  readonly name: string | null;
};

/** Which drives of the server take most. */
export class UsageDrives extends Service<Pick<Parts, "tables" | "clock" | "access"> & { users: Users }> {
  readonly #counts = new KeptCounts<"server", Sizes>({ clock: this.parts.clock, most: 1 });

  /** Throws FORBIDDEN unless the caller is an administrator with a session. */
  async ofServer(caller: Caller): Promise<Sizes & { readonly largest: readonly DriveUse[] }> {
    const { users, access } = this.parts;
    users.requireAdmin(caller);
    const { largest, others } = await this.#counts.of("server", () => this.#count());
    const named = largest.map((drive) => ({
      ...drive,
      name: access.findDrive(caller, drive.id)?.name ?? null,
    }));
    return { largest: named, others };
  }

  *#count(): Generator<void, Sizes> {
    const { tables, clock } = this.parts;
    const largest = new Largest<DriveSize>(USAGE_DRIVES, ({ bytes }) => bytes);
    const others = { drives: 0, files: 0, bytes: 0 };
    for (const drive of tables.driveSizes.each(clock.now())) {
      yield;
      const other = drive.isAlive && drive.files > 0 ? largest.add(drive) : null;
      if (other === null) continue;
      others.drives += 1;
      others.files += other.files;
      others.bytes += other.bytes;
    }
    return { largest: largest.values, others };
  }
}
