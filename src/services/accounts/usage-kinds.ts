import { setImmediate as nextTurn } from "node:timers/promises";
import { type Caller, requireAccount } from "../../domain/accounts/caller.ts";
import { type FileKind, kindOf } from "../../domain/contents/kind.ts";
import type { DrivePk, FilePk, UserPk } from "../../domain/id.ts";
import { Recent } from "../../domain/recent.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { Turns } from "../turns.ts";

/** How many files are looked at in one statement. */
const ROWS = 200;
/** How long others wait, in milliseconds. */
const TURN_MS = 2;
/** How many times as long as the count took its result is given out: so an account takes up to 1 % of the time. */
const KEPT_TIMES = 100;
/** How many accounts' results are kept. */
const KEPT = 1000;

interface KindUse {
  readonly kind: FileKind;
  readonly files: number;
  readonly bytes: number;
}

interface Result {
  readonly kinds: readonly KindUse[];
  /** On the clock that only goes on. */
  readonly until: number;
}

/**
 * What the files of an account are. All of them are looked at: counters would have to be written with every upload, for
 * what is asked now and then. One account is counted at a time, with turns for others.
 */
export class UsageKinds extends Service<Pick<Parts, "tables" | "clock">> {
  readonly #turns = new Turns<"count">();
  readonly #recent = new Recent<UserPk, Result>(KEPT);

  /** By kind, largest first; kinds without files are left out. Throws FORBIDDEN for a key of one drive. */
  async of(caller: Caller): Promise<readonly KindUse[]> {
    const { userPk } = requireAccount(caller);
    return (
      this.#known(userPk) ?? this.#turns.take("count", async () => this.#known(userPk) ?? this.#count(userPk))
    );
  }

  #known(user: UserPk): readonly KindUse[] | null {
    const known = this.#recent.get(user);
    return known !== undefined && this.parts.clock.elapsed() < known.until ? known.kinds : null;
  }

  async #count(user: UserPk): Promise<readonly KindUse[]> {
    const { tables, clock } = this.parts;
    const began = clock.elapsed();
    const counted = new Map<FileKind, KindUse>();
    let turn = began;
    for (const { pk } of tables.drives.byUser(user, clock.now())) {
      for (const { type, files, bytes } of this.#pieces(pk)) {
        const kind = kindOf(type);
        const { files: f, bytes: b } = counted.get(kind) ?? { files: 0, bytes: 0 };
        counted.set(kind, { kind, files: f + files, bytes: b + bytes });
        if (clock.elapsed() - turn < TURN_MS) continue;
        await nextTurn();
        turn = clock.elapsed();
      }
    }
    const kinds = [...counted.values()].toSorted((a, b) => b.bytes - a.bytes);
    const ended = clock.elapsed();
    this.#recent.set(user, { kinds, until: ended + KEPT_TIMES * (ended - began) });
    return kinds;
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
