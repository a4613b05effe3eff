import type { LinkUse } from "../../db/links/links.ts";
import type { LinkId } from "../../domain/id.ts";
import type { Link } from "../../domain/links/link.ts";
import type { Parts } from "../parts.ts";

/** How many uses one transaction writes. */
const PIECE = 200;

/** How often links were used. Kept in memory until `flush`, so that reads need no write. */
export class LinkUses {
  readonly #parts;
  readonly #unwritten = new Map<LinkId, LinkUse>();

  constructor(parts: Pick<Parts, "tables" | "clock">) {
    this.#parts = parts;
  }

  /** Counts that a link was opened, or something downloaded. */
  note(id: LinkId): void {
    const count = (this.#unwritten.get(id)?.count ?? 0) + 1;
    this.#unwritten.set(id, { id, count, at: this.#parts.clock.now() });
  }

  /** A link with the uses that are not written yet. */
  counted(link: Link): Link {
    const more = this.#unwritten.get(link.id);
    return more === undefined ? link : { ...link, uses: link.uses + more.count, lastUsedAt: more.at };
  }

  /** Writes all uses, some at a time. What fails is kept for the next call. */
  async flush(): Promise<void> {
    const { writeFromReserve, links } = this.#parts.tables;
    const all = [...this.#unwritten.values()];
    for (let from = 0; from < all.length; from += PIECE) {
      const uses = all.slice(from, from + PIECE);
      await writeFromReserve(() => {
        for (const use of uses) links.countUse(use);
      });
      for (const use of uses) this.#forget(use);
    }
  }

  /** Keeps what was used again while this was written. */
  #forget({ id, count }: LinkUse): void {
    const now = this.#unwritten.get(id);
    if (now === undefined) return;
    if (now.count === count) this.#unwritten.delete(id);
    else this.#unwritten.set(id, { ...now, count: now.count - count });
  }
}
