import { type Caller, requireAccount } from "../../domain/accounts/caller.ts";
import { type FileKind, kindOf } from "../../domain/contents/kind.ts";
import type { DrivePk, FilePk, UserPk } from "../../domain/id.ts";
import { KeptCounts } from "../kept-counts.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Users } from "./users.ts";

/** How many files are looked at in one statement. */
const ROWS = 200;
/** How many accounts' results are kept. */
const KEPT = 1000;

interface KindUse {
  readonly kind: FileKind;
  readonly files: number;
  readonly bytes: number;
}

/** Whose files are counted, if it has not been deleted. */
interface Counted {
  readonly pk: DrivePk;
  readonly isAlive: boolean;
}

/**
 * What files are, by kind, largest first; kinds without files are left out. All of them are looked at: counters would
 * have to be written with every upload, for what is asked now and then.
 */
export class UsageKinds extends Service<Pick<Parts, "tables" | "clock"> & { users: Users }> {
  readonly #accounts = new KeptCounts<UserPk, readonly KindUse[]>({ clock: this.parts.clock, most: KEPT });
  /** Beside these, as it takes as long as all of them together. */
  readonly #server = new KeptCounts<"server", readonly KindUse[]>({ clock: this.parts.clock, most: 1 });

  /** Of the caller's account. Throws FORBIDDEN for a key of one drive. */
  async ofAccount(caller: Caller): Promise<readonly KindUse[]> {
    const { tables, clock } = this.parts;
    const { userPk } = requireAccount(caller);
    return this.#accounts.of(userPk, () =>
      this.#count(tables.drives.byUser(userPk, clock.now()).map(({ pk }) => ({ pk, isAlive: true }))),
    );
  }

  /** Of all drives. Throws FORBIDDEN unless the caller is an administrator with a session. */
  async ofServer(caller: Caller): Promise<readonly KindUse[]> {
    const { tables, clock, users } = this.parts;
    users.requireAdmin(caller);
    return this.#server.of("server", () => this.#count(tables.driveSizes.each(clock.now())));
  }

  *#count(drives: Iterable<Counted>): Generator<void, readonly KindUse[]> {
    const counted = new Map<FileKind, KindUse>();
    for (const { pk, isAlive } of drives) {
      yield;
      if (!isAlive) continue;
      for (const { type, files, bytes } of this.#pieces(pk)) {
        const kind = kindOf(type);
        const { files: f, bytes: b } = counted.get(kind) ?? { files: 0, bytes: 0 };
        counted.set(kind, { kind, files: f + files, bytes: b + bytes });
        yield;
      }
    }
    return [...counted.values()].toSorted((a, b) => b.bytes - a.bytes);
  }

  /** The files of a drive, some of one type at a time. */
  *#pieces(drive: DrivePk) {
    const { fileTypes } = this.parts.tables;
    for (let type = fileTypes.after(drive, ""); type !== null; type = fileTypes.after(drive, type)) {
      for (let after: FilePk | 0 | null = 0; after !== null;) {
        const { files, bytes, last } = fileTypes.some(drive, type, after, ROWS);
        yield { type, files, bytes };
        after = files === ROWS ? last : null;
      }
    }
  }
}
