import { damageIn, type DamagedBlob } from "../blobs/blob-file.ts";
import { type MigrationPlace, type PlacedBlob, SHARDS } from "../blobs/migration/migration-place.ts";
import { asRefusal, hasCode } from "../blobs/system-error.ts";
import type { Digest } from "../domain/contents/content.ts";
import { CofferError } from "../domain/errors.ts";
import { inParallel } from "../process/in-parallel.ts";
import type { CopyPace } from "./pace.ts";

/** How many contents are copied side by side, or removed: to wait for a sync, or a bucket, takes most of the time of small ones. */
export const AT_ONCE = 8;
/** How often one is copied whose temporary file goes, as a server that starts removes it. */
const ATTEMPTS = 5;

interface CopiesParts {
  readonly sources: readonly MigrationPlace[];
  readonly targets: readonly MigrationPlace[];
  /** Whether the server has found a content damaged. */
  readonly isRefused: (digest: Digest) => boolean;
  /** Whether all bytes at the targets are read, of new copies too. */
  readonly isFull: boolean;
  /** Null to be as fast as possible. */
  readonly pace: CopyPace | null;
  readonly signal: AbortSignal;
  /** Is told of bytes that were read, and of contents that were looked at. */
  readonly onProgress: (contents: number, bytes: number) => void;
  readonly onDamage: (damage: DamagedBlob) => void;
}

/** No target has room for a content. */
export class NoRoomForCopies extends Error {
  override readonly name = "NoRoomForCopies";
}

/** Copies the contents of all sources to the targets. What is there already is left as it is. */
export class Copies {
  readonly #parts: CopiesParts;
  readonly #copied = { contents: 0, bytes: 0 };
  #present = 0;
  /** What may not be removed from a source, as no target is known to have it whole. */
  readonly #kept = new Map<MigrationPlace, Set<Digest>>();

  constructor(parts: CopiesParts) {
    this.#parts = parts;
  }

  /** What was copied so far, and how many contents were at a target before. */
  get done() {
    return { copied: this.#copied, present: this.#present };
  }

  /** What of a shard may be removed from a source, as a target has it whole, and durably; without what backups need there. */
  async copied(source: MigrationPlace, shard: number) {
    const removable: PlacedBlob[] = [];
    let leased = 0;
    const needed = await source.leased();
    for (const blob of await source.list(shard)) {
      this.#parts.signal.throwIfAborted();
      if (!(await this.#isCopied(source, blob))) continue;
      if ((await needed?.has(blob.digest)) === true) leased += 1;
      else removable.push(blob);
    }
    if (removable.length > 0) await Promise.all(this.#parts.targets.map((target) => target.settle(shard)));
    return { removable, leased };
  }

  async #isCopied(source: MigrationPlace, blob: PlacedBlob): Promise<boolean> {
    if (this.#kept.get(source)?.has(blob.digest) === true) return false;
    for (const target of this.#parts.targets) {
      if ((await this.#stateAt(target, blob, false)) === "whole") return true;
    }
    return false;
  }

  /** Throws NoRoomForCopies, and the reason of the signal once that is aborted. */
  async run(): Promise<void> {
    for (let shard = 0; shard < SHARDS; shard += 1) {
      for (const source of this.#parts.sources) {
        await inParallel(await source.list(shard), AT_ONCE, (blob) => this.#copyUnlessDamaged(source, blob));
      }
    }
  }

  async #copyUnlessDamaged(source: MigrationPlace, blob: PlacedBlob): Promise<void> {
    this.#parts.signal.throwIfAborted();
    const damage = await damageIn(() => this.#copy(source, blob));
    if (damage !== null) this.#keep(source, damage);
    this.#parts.onProgress(1, 0);
  }

  #keep(source: MigrationPlace, damage: DamagedBlob): void {
    // The server has removed it meanwhile.
    if (damage.isMissing) return;
    const kept = this.#kept.get(source) ?? new Set();
    this.#kept.set(source, kept.add(damage.digest));
    this.#parts.onDamage(damage);
  }

  /** Throws DamagedBlob if it is not whole at the source, nor at a target. */
  async #copy(source: MigrationPlace, blob: PlacedBlob): Promise<void> {
    let damaged: MigrationPlace | null = null;
    for (const target of this.#parts.targets) {
      const state = await this.#stateAt(target, blob, this.#parts.isFull);
      if (state === "whole") {
        this.#present += 1;
        return;
      }
      if (state === "damaged") damaged = target;
    }
    // A server would find the damaged one first.
    const target = damaged ?? (await this.#roomiest(blob));
    await this.#write(source, target, blob);
    this.#copied.contents += 1;
    this.#copied.bytes += blob.size;
    if (!this.#parts.isFull) return;
    for await (const piece of target.pieces(blob)) await this.#passed(piece);
  }

  /** A copy has its name only once it was checked, so its size is enough unless there is doubt. */
  async #stateAt(
    target: MigrationPlace,
    { digest, size }: PlacedBlob,
    isFull: boolean,
  ): Promise<"missing" | "whole" | "damaged"> {
    const found = await target.sizeOf(digest);
    if (found === null) return "missing";
    const isDoubted = isFull || found !== size || this.#parts.isRefused(digest);
    if (!isDoubted) return "whole";
    const damage = await damageIn(async () => {
      for await (const piece of target.pieces({ digest, size: found })) await this.#passed(piece);
    });
    return damage === null ? "whole" : "damaged";
  }

  async #write(source: MigrationPlace, target: MigrationPlace, blob: PlacedBlob): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await target.put(blob, this.#read(source, blob));
        return;
      } catch (error) {
        if (lacksRoom(error)) throw noRoomFor(blob);
        const isLost = hasCode(error, "ENOENT") && (await target.whyAway()) === null;
        if (!isLost || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async *#read(source: MigrationPlace, blob: PlacedBlob): AsyncGenerator<Uint8Array> {
    for await (const piece of source.pieces(blob)) {
      await this.#passed(piece);
      this.#parts.onProgress(0, piece.length);
      yield piece;
    }
  }

  async #passed({ length }: Uint8Array): Promise<void> {
    this.#parts.signal.throwIfAborted();
    await this.#parts.pace?.take(length, this.#parts.signal);
  }

  async #roomiest(blob: PlacedBlob): Promise<MigrationPlace> {
    const { targets } = this.#parts;
    const rooms = await Promise.all(targets.map(async (target) => ({ target, room: await target.room() })));
    const [most] = rooms.toSorted((a, b) => b.room - a.room);
    if (most === undefined || most.room < blob.size) throw noRoomFor(blob);
    return most.target;
  }
}

function lacksRoom(error: unknown): boolean {
  const refusal = asRefusal(error);
  return refusal instanceof CofferError && refusal.code === "STORAGE_FULL";
}

function noRoomFor({ digest, size }: PlacedBlob): NoRoomForCopies {
  return new NoRoomForCopies(`there is no room for the content ${digest} of ${size} bytes`);
}
