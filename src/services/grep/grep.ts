import { rangeOf } from "../../db/files/files.ts";
import { type Caller, ownerOf } from "../../domain/accounts/caller.ts";
import { invalid } from "../../domain/errors.ts";
import { GREP, GREP_BOUNDS, GREP_LIMITS } from "../../domain/limits.ts";
import { type Glob, startOfMatches } from "../../domain/files/glob.ts";
import { containingFolder, narrowed, parsePrefix } from "../../domain/files/path.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { GrepThreads } from "./grep-threads.ts";
import type { GrepBounds, GrepTerms } from "./request.ts";
import { holderOf, Slots } from "../slots.ts";

/** A search of lines; null where something is not given. */
interface GrepQuery extends GrepTerms {
  /** An id or a slug. */
  readonly drive: string | null;
  readonly prefix: string | null;
  /** Only files whose paths match, below the folder of `prefix`. */
  readonly glob: Glob | null;
  /** What of `GREP_BOUNDS` is less for this page. */
  readonly bounds?: Partial<Pick<GrepBounds, "characters" | "matches">>;
}

/** Finds lines of text files by a regular expression, in the drives that the caller may see. */
export class Grep extends Service<
  Pick<Parts, "access" | "clock" | "log" | "storePlaces"> & {
    /** Overrides `GREP_BOUNDS`. */
    grepBounds?: GrepBounds | undefined;
  }
> {
  readonly #threads = new GrepThreads({ places: this.parts.storePlaces });
  readonly #slots = new Slots({ limits: GREP_LIMITS, noun: "searches of lines" });

  /**
   * One page of files with lines that match, in path order, and whether something is left out: more files or lines, or
   * a blob that could not be read. `from` has the caller's address, as the rate limit counts it. Throws NOT_FOUND for
   * the drive, VALIDATION_ERROR, RATE_LIMITED, UNAVAILABLE.
   */
  async find(caller: Caller, query: GrepQuery, from: { client: string; signal?: AbortSignal }) {
    const { access, clock, grepBounds = GREP_BOUNDS } = this.parts;
    const { drive, prefix, pattern } = query;
    if (pattern === "") throw invalid("pattern", "must not be empty");
    if (pattern.length > GREP.patternCharacters)
      throw invalid("pattern", `must have at most ${GREP.patternCharacters} characters`);
    const asked = prefix === null ? "" : parsePrefix("prefix", prefix);
    const drives = drive === null ? access.drives(caller) : [access.drive(caller, drive)];
    const [first] = drives;
    // A caller with a prefix sees one drive.
    const start = startOfMatches(asked, query.glob);
    const seen =
      first === undefined || start === null ? null : narrowed(start, access.prefixOf(caller, first));
    if (seen === null) return { files: [], isPartial: false, next: null };
    using _ = this.#slots.take(holderOf(caller), from.client);
    const request = {
      ...query,
      drives: drives.map(({ id, pk }) => ({ id, pk })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      paths: rangeOf(seen),
      glob: query.glob && { pattern: query.glob.pattern, below: containingFolder(asked) },
      now: clock.now(),
      bounds: { ...grepBounds, ...query.bounds },
    };
    const { files, next, unread } = await this.#threads.find(ownerOf(caller), request, from.signal);
    for (const { driveId, path, digest } of unread) {
      this.parts.log.error("the lines of a content could not be searched", { drive: driveId, path, digest });
    }
    const isPartial = next !== null || unread.length > 0 || files.some(({ hasMore }) => hasMore);
    return { files, isPartial, next };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
