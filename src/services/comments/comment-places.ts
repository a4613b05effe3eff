import { UnavailableBlob } from "../../blobs/blob-place.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Comment, LineRange } from "../../domain/comments/comment.ts";
import { type LineChange, placeAfter } from "../../domain/comments/line-places.ts";
import { CofferError, type ErrorCode } from "../../domain/errors.ts";
import type { File } from "../../domain/files/file.ts";
import { COMPARED_VERSIONS } from "../../domain/limits.ts";
import { Recent } from "../../domain/recent.ts";
import { DamagedFile } from "../contents/blob-checks.ts";
import type { VersionDiffs } from "../history/version-diffs.ts";
import type { Versions } from "../history/versions.ts";
import { Service } from "../service.ts";

/** Where a comment belongs in the present text of its file. */
interface Place {
  /** Null for the whole file, and where that is not known. */
  readonly lines: LineRange | null;
  /** Whether its lines are gone; null where that cannot be told. */
  readonly isOutdated: boolean | null;
}

export type PlacedComment = Comment & { readonly place: Place };

/** Null for contents that cannot be compared. */
type Changed = readonly LineChange[] | null;

/** How many comparisons are kept. */
const KEPT = 64;
/** What says that a content is no text that can be compared. */
const NO_TEXT: ReadonlySet<ErrorCode> = new Set([
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "EXTRACTION_FAILED",
]);

/** Finds the lines of comments again, after the text has changed. */
export class CommentPlaces extends Service<{ versions: Versions; versionDiffs: VersionDiffs }> {
  /** By the contents that were compared. */
  readonly #kept = new Recent<string, Changed>(KEPT);

  /** Throws RATE_LIMITED, UNAVAILABLE. @param client see `Slots.take` */
  async placed(
    caller: Caller,
    file: File,
    comments: readonly Comment[],
    client: string,
  ): Promise<PlacedComment[]> {
    const changed = await this.#changedSince(caller, file, comments, client);
    return comments.map((comment) => {
      const { lines, version } = comment;
      if (lines === null || version === file.version)
        return { ...comment, place: { lines, isOutdated: false } };
      const changes = changed.get(version) ?? null;
      const place = changes && placeAfter(lines, changes);
      return { ...comment, place: { lines: place, isOutdated: changes && place === null } };
    });
  }

  /** What has changed since the versions that lines are of. The newest first: of many, the oldest are left out. */
  async #changedSince(caller: Caller, file: File, comments: readonly Comment[], client: string) {
    const old = comments.filter(({ lines, version }) => lines !== null && version !== file.version);
    const versions = [...new Set(old.map(({ version }) => version))].toSorted((a, b) => b - a);
    const changed = new Map<number, Changed>();
    if (versions.length === 0) return changed;
    using _ = this.parts.versionDiffs.takeSlot(caller, client);
    let compared = 0;
    for (const version of versions) {
      const content = this.parts.versions.keptContent(file, version);
      if (content === null) continue;
      const key = `${content.digest} ${file.digest}`;
      let found = this.#kept.get(key);
      if (found === undefined && compared < COMPARED_VERSIONS) {
        compared += 1;
        found = await this.#compare(content, file);
        if (found !== undefined) this.#kept.set(key, found);
      }
      changed.set(version, found ?? null);
    }
    return changed;
  }

  /** Undefined while a content cannot be reached. */
  async #compare(from: File, to: File): Promise<Changed | undefined> {
    try {
      return await this.parts.versionDiffs.lines(from, to);
    } catch (error) {
      // What is said can be read all the same.
      if (error instanceof UnavailableBlob) return undefined;
      if (error instanceof DamagedFile || (error instanceof CofferError && NO_TEXT.has(error.code)))
        return null;
      throw error;
    }
  }
}
