import { WriteRefused } from "../../domain/errors.ts";
import type { KeyId } from "../../domain/id.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { inPieces } from "../pieces.ts";
import { removeSomeOfWebhook } from "../webhooks/outbox.ts";

const PIECE = 30;
/** How many of these transactions somebody waits for who revokes a key: it is about a second. */
const AWAITED = 100;

/**
 * Removes, in pieces, what goes with a key: the keys that it made, with what these made, links, webhooks and members.
 * Whom it made an editor is a reader again. None of it works any more when the key is gone (`keyIsAlive`).
 */
export class EndedKeys extends Service<Pick<Parts, "tables" | "changes" | "clock">> {
  /** Removes some of what the keys made that are gone. Returns how many rows; 0 at the end. Inside a write. */
  removeSome(): number {
    const { endedKeys } = this.parts.tables;
    let room = PIECE;
    for (let key = endedKeys.next(); key !== null && room > 0; key = endedKeys.next()) {
      room -= this.#removeOf(key, room);
      if (room <= 0) break;
      endedKeys.forget(key);
      room -= 1;
    }
    return PIECE - room;
  }

  removePiece(): Promise<number> {
    return this.parts.tables.writeFromReserve(() => this.removeSome());
  }

  /** Removes all, unless it is very much: the next sweep removes the rest, and what a full disk refuses. */
  async removeMost(): Promise<void> {
    let pieces = 0;
    try {
      await inPieces(
        () => this.removePiece(),
        () => ++pieces > AWAITED,
      );
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
  }

  /** Removes up to `room` rows that a key made. Returns how many; less than `room` if nothing is left. */
  #removeOf(key: KeyId, room: number): number {
    const { apiKeys, endedKeys } = this.parts.tables;
    const webhook = endedKeys.webhookOf(key);
    if (webhook !== null) {
      // It may have had many deliveries: they are a piece of their own.
      removeSomeOfWebhook(this.parts.tables, webhook);
      return room;
    }
    const keys = endedKeys.keysOf(key, room);
    for (const id of keys) apiKeys.removeAny(id);
    let left = room - keys.length;
    left -= this.#changeMembers("member.removed", key, left);
    left -= this.#changeMembers("member.changed", key, left);
    return room - left + this.#removeLinks(key, left);
  }

  /** Removes the members that the key made, or makes those readers again whom it made editors. */
  #changeMembers(type: "member.removed" | "member.changed", key: KeyId, limit: number): number {
    const { members, endedKeys } = this.parts.tables;
    const isEnd = type === "member.removed";
    const changed = isEnd ? endedKeys.membersOf(key, limit) : endedKeys.raisedBy(key, limit);
    for (const { drive, user, userId } of changed) {
      if (isEnd) members.remove(drive, user);
      else members.lower(drive, user);
      this.parts.changes.add({ drive, type, path: ROOT, ref: userId, stamp: this.#stamp });
    }
    return changed.length;
  }

  #removeLinks(key: KeyId, limit: number): number {
    const { links, endedKeys } = this.parts.tables;
    const ended = endedKeys.linksOf(key, limit);
    for (const { id, drive, path } of ended) {
      links.remove(id);
      if (drive !== null && path !== null)
        this.parts.changes.add({ drive, type: "link.revoked", path, ref: id, stamp: this.#stamp });
    }
    return ended.length;
  }

  /** By the server. */
  get #stamp() {
    return { now: this.parts.clock.now(), by: null };
  }
}
