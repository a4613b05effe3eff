import { setImmediate as nextTurn } from "node:timers/promises";
import { type BlobFacts, damageIn } from "../../blobs/blob-file.ts";
import { unlessUnavailable } from "../../blobs/blob-place.ts";
import type { Digest } from "../../domain/contents/content.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** How long after the start it looks, in milliseconds: the first requests go first. */
const CHECK_MS = 3000;
/** At how many places of the database it looks beside the newest contents. */
const PLACES = 20;
/** How many files are looked for side by side. */
const AT_ONCE = 8;
/** So many missing contents are no damage of a disk, or this share of all that were looked for, if there are several. */
const MANY = { contents: 10, share: 0.1, several: 2 };

const TOLD =
  "contents are missing that the database names: the directory of contents is older than the database, or was not " +
  "restored whole. Files with these contents are refused. Restore both from one backup, or the missing contents with " +
  "`coffer verify --repair-from`; `coffer verify` names them all";

/**
 * Looks soon after the start whether contents are there: the newest, which an older directory lacks, and some others.
 * It takes a few hundred looks, and finds what the slow check finds within weeks.
 */
export class MissingContents extends Service<Pick<Parts, "tables" | "blobs" | "damaged" | "log">> {
  /** What was missing, if that was much. */
  readonly #missing = new Set<Digest>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** Checks in a while. */
  start(): void {
    this.#timer = setTimeout(() => void this.check(), CHECK_MS);
    this.#timer.unref();
  }

  /** Waits for the check that is under way; no other one begins. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#checking;
  }

  /** Checks now. What is missing is remembered as damaged, and told in the log. */
  check(): Promise<void> {
    this.#checking = this.#checkSome().catch((error: unknown) => {
      // A disk that is full or failed is logged elsewhere.
      if (!(error instanceof WriteRefused))
        this.parts.log.error("contents could not be looked for", { error });
    });
    return this.#checking;
  }

  /** Whether so much was missing that the database and the contents do not fit together, and some of it still is. */
  hasMany(): boolean {
    for (const digest of this.#missing) {
      if (this.parts.damaged.isKnown({ digest })) return true;
      this.#missing.delete(digest);
    }
    return false;
  }

  async #checkSome(): Promise<void> {
    const looked = new Set<Digest>();
    const missing: Digest[] = [];
    for await (const contents of this.#sample()) {
      const others = contents.filter(({ digest }) => !looked.has(digest));
      for (let at = 0; at < others.length && !this.#isStopped; at += AT_ONCE) {
        const some = others.slice(at, at + AT_ONCE);
        const found = await Promise.all(some.map((content) => this.#isMissing(content)));
        missing.push(...some.filter((_, index) => found[index]).map(({ digest }) => digest));
        for (const { digest } of some) looked.add(digest);
      }
    }
    const { contents, share, several } = MANY;
    const isMuch = missing.length >= several && missing.length >= share * looked.size;
    if (missing.length < contents && !isMuch) return;
    for (const digest of missing) this.#missing.add(digest);
    this.parts.log.error(TOLD, { missing: missing.length, looked_for: looked.size });
  }

  async *#sample(): AsyncGenerator<BlobFacts[]> {
    const { blobs, smallContents } = this.parts.tables;
    const { smallBytes } = smallContents;
    yield blobs.newestFiles(smallBytes);
    for (let place = 0; place < PLACES && !this.#isStopped; place += 1) {
      await nextTurn();
      yield blobs.someFiles(Math.random(), smallBytes);
    }
  }

  /** Remembers what is not as it was. */
  async #isMissing(content: BlobFacts): Promise<boolean> {
    const look = damageIn(() => this.parts.blobs.requirePlaced(content));
    const damage = await unlessUnavailable(look);
    return damage !== null && (await this.parts.damaged.remember(damage)) && damage.isMissing;
  }
}
