import { LastUses } from "../accounts/usage.ts";
import type { LinkId } from "../../domain/id.ts";
import { isMadeBy, type Link, type LinkPosition, type SeenLink } from "../../domain/links/link.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";

export class LinkUses extends Service<Pick<Parts, "tables" | "clock">> {
  readonly #uses = new LastUses<LinkId>();

  note(id: LinkId): void {
    this.#uses.note(id, this.parts.clock.now());
  }

  counted(link: Link): Link {
    const more = this.#uses.get(link.id);
    return more === undefined ? link : { ...link, uses: link.uses + more.count, lastUsedAt: more.at };
  }

  flush(): Promise<void> {
    const { tables } = this.parts;
    return this.#uses.flush(tables, (use) => tables.links.countUse(use));
  }
}

interface LinksRequest {
  /** An id or slug; undefined for all drives. */
  readonly drive: string | undefined;
  readonly limit: number;
  readonly after: LinkPosition | null;
}

/** How many links are read of a drive at once: few at first, as there may be many drives. */
const CHUNK = { first: 4, most: 256 };
/** A page ends after so many links: not all are shown. Other requests have a turn after each step. */
const SCANNED = { most: 10_000, step: 500 };

export class LinkLists extends Service<Pick<Parts, "tables" | "access" | "clock"> & { linkUses: LinkUses }> {
  /** All links where the caller may manage the drive, else its own; of one drive or all. Rejects with NOT_FOUND. */
  async list(caller: Caller, { drive, limit, after }: LinksRequest) {
    const { access, linkUses, clock } = this.parts;
    const drives = drive === undefined ? access.drives(caller) : [access.drive(caller, drive)];
    const now = clock.now();
    const managed = new Set(drives.filter(({ role }) => role === "owner").map(({ id }) => id));
    const prefixes = new Map(drives.map((each) => [each.id, access.prefixOf(caller, each)]));
    const links: SeenLink[] = [];
    let last = after;
    let scanned = 0;
    for (const link of newestOf(drives.map((each) => this.#linksOf(each, after)))) {
      if (links.length === limit || scanned === SCANNED.most) return { links, nextAfter: last };
      scanned += 1;
      if (scanned % SCANNED.step === 0) await nextTurn();
      last = link;
      if (link.expiresAt > now && (managed.has(link.driveId) || isMadeBy(link, caller)))
        links.push(seenFrom(prefixes.get(link.driveId) ?? ROOT, linkUses.counted(link)));
    }
    return { links, nextAfter: null };
  }

  *#linksOf(drive: Drive, start: LinkPosition | null): Generator<Link, void> {
    let after = start;
    for (let size = CHUNK.first; ; size = Math.min(2 * size, CHUNK.most)) {
      const chunk = this.parts.tables.links.page(drive.id, after, size);
      yield* chunk;
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < size) return;
      after = last;
    }
  }
}

/** A link as somebody sees it who is limited to a folder: not where its file has moved to outside. */
function seenFrom(prefix: FolderPath, link: Link): SeenLink {
  return link.path?.startsWith(prefix) === false ? { ...link, path: null } : link;
}

/** All links of several lists, newest first, as each of the lists is. */
function* newestOf(lists: readonly Generator<Link, void>[]): Generator<Link> {
  const heads = lists.map((list) => ({ list, link: nextOf(list) }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) if (isNewer(head.link, first?.link ?? null)) first = head;
    if (first === null || first.link === null) return;
    yield first.link;
    first.link = nextOf(first.list);
  }
}

function nextOf(list: Generator<Link, void>): Link | null {
  const next = list.next();
  return next.done === true ? null : next.value;
}

function isNewer(a: Link | null, b: Link | null): boolean {
  if (a === null || b === null) return a !== null;
  return a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.id > b.id);
}
