import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, type ErrorCode, invalid } from "../../domain/errors.ts";
import type { Glob } from "../../domain/files/glob.ts";
import { MANY_PATHS } from "../../domain/limits.ts";
import { UNCONDITIONAL } from "../../domain/files/precondition.ts";
import type { BatchId } from "../../domain/id.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Destination, Files, RemovedFiles } from "./files.ts";
import type { PathRef, Paths } from "./paths.ts";
import type { Walks } from "./walks.ts";

export interface Matched {
  readonly id: string;
  readonly path: string;
}

export interface RemovedMatches {
  readonly fileCount: number;
  /** The paths of files that could not be deleted. */
  readonly failed: readonly string[];
  /** Null if nothing was deleted. */
  readonly batch: BatchId | null;
}

/** One of many: a file by its id, or what is at a path. */
export type Named = { readonly id: string } | PathRef;

/** What became of one of many. */
export interface Outcome {
  /** As it was named: a path or an id. */
  readonly name: string;
  /** Where it, or its copy, is now; null if nothing was done. */
  readonly to: string | null;
  /** Null unless it failed. */
  readonly error: CofferError | null;
}

/** After these, the others would fail as well. */
const ENDS_ALL: ReadonlySet<ErrorCode> = new Set(["UNAUTHORIZED", "INTERNAL", "UNAVAILABLE", "STORAGE_FULL"]);

/** How many are begun at once: they share the syncs of the database. */
const AT_ONCE = 32;

/** Changes of many files and folders by one request, each with its own outcome. */
export class ManyPaths extends Service<Pick<Parts, "access"> & { files: Files; paths: Paths; walks: Walks }> {
  /** The files of a drive whose paths match. Throws NOT_FOUND; VALIDATION_ERROR if they are more than `most`. */
  async matching(caller: Caller, drive: string, glob: Glob, most: number) {
    const found: Matched[] = [];
    const request = { driveId: drive, prefix: "", tags: [], glob, depth: null };
    for await (const file of this.parts.walks.matching(caller, request)) {
      if (found.length === most)
        throw invalid("glob", `must match at most ${most} files: do this for one part of them after another`);
      found.push(file);
    }
    return found;
  }

  /** What `remove` would delete; a write, so that `within` can keep the response. */
  async preview(caller: Caller, drive: string, glob: Glob, within?: Within<readonly Matched[]>) {
    const found = await this.matching(caller, drive, glob, MANY_PATHS.deleted);
    return this.parts.access.writeFromReserve(caller, within, () => {
      this.parts.access.driveToWrite(caller, drive, null);
      return found;
    });
  }

  /** Puts the files that match into the trash, in several transactions; `within` is called in the last. */
  async remove(
    caller: Caller,
    drive: string,
    glob: Glob,
    within?: Within<RemovedMatches>,
  ): Promise<RemovedMatches> {
    this.parts.access.driveToWrite(caller, drive, null);
    const found = await this.matching(caller, drive, glob, MANY_PATHS.deleted);
    const pathOf = new Map(found.map(({ id, path }) => [id, path]));
    const shown = ({ deleted, failed, batch }: RemovedFiles) => ({
      fileCount: deleted.length,
      batch,
      failed: failed.map((id) => pathOf.get(id) ?? id),
    });
    const ids = [...pathOf.keys()];
    const done = await this.parts.files.removeMany(
      caller,
      { ids },
      within && ((each) => within(shown(each))),
    );
    return shown(done);
  }

  /**
   * Copies or moves each into one folder, where it keeps its name. What fails does not stop the others, unless the
   * server cannot go on at all. `within` is called in a last transaction. Throws NOT_FOUND for a drive.
   */
  async transfer(
    how: "copy" | "move",
    caller: Caller,
    all: readonly Named[],
    to: Destination,
    within?: Within<readonly Outcome[]>,
  ): Promise<readonly Outcome[]> {
    const drives = all.flatMap((each) => ("drive" in each ? each.drive : []));
    for (const drive of new Set(drives)) this.parts.access.drive(caller, drive);
    if (to.driveId !== undefined) this.parts.access.driveToWrite(caller, to.driveId, null);
    const outcomes: Outcome[] = [];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = all.slice(at, at + AT_ONCE);
      outcomes.push(...(await Promise.all(some.map((each) => this.#transfer(how, caller, each, to)))));
    }
    return this.parts.access.write(caller, within, () => outcomes);
  }

  async #transfer(how: "copy" | "move", caller: Caller, named: Named, to: Destination): Promise<Outcome> {
    const name = "id" in named ? named.id : named.path;
    try {
      if ("id" in named) {
        const { file, isSkipped } = await this.parts.files[how](caller, named, to, UNCONDITIONAL);
        return { name, to: isSkipped ? null : file.path, error: null };
      }
      const done = await this.parts.paths.transfer(how, caller, withoutSlash(named), to, UNCONDITIONAL);
      const path = done.kind === "file" ? done.file.path : done.folder.path;
      return { name, to: done.isSkipped ? null : path, error: null };
    } catch (error) {
      if (!(error instanceof CofferError) || ENDS_ALL.has(error.code)) throw error;
      return { name, to: null, error };
    }
  }
}

/** So that a folder keeps its name, as files do. */
function withoutSlash({ drive, path }: PathRef): PathRef {
  return { drive, path: path.replace(/\/$/, "") };
}
