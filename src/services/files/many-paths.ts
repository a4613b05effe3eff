import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { authorOf } from "../../domain/changes/change.ts";
import { type CofferError, invalid } from "../../domain/errors.ts";
import type { Glob } from "../../domain/files/glob.ts";
import { type FolderPath, parseFolderPath, parsePathOfFile } from "../../domain/files/path.ts";
import { MANY_PATHS } from "../../domain/limits.ts";
import { UNCONDITIONAL } from "../../domain/files/precondition.ts";
import type { BatchId, TrashId } from "../../domain/id.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Destination, Files, NamedFiles, RemovedFiles } from "./files.ts";
import type { Folders } from "../folders/folders.ts";
import { type BatchPart, isOfOne, type PartError } from "../changes/batches.ts";
import { isOfFolder, type PathRef, type Paths } from "./paths.ts";
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

export interface Outcomes {
  /** In the order in which they were named. */
  readonly each: readonly Outcome[];
  /** Null if nothing was done. */
  readonly batch: BatchId | null;
}

/** Of how many it is asked what they are, before others have their turn. */
const LOOKED_AT = 100;

/** Changes of many files and folders by one request, each with its own outcome. */
export class ManyPaths extends Service<
  Pick<Parts, "access" | "batches"> & { files: Files; folders: Folders; paths: Paths; walks: Walks }
> {
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
   * Puts all that is named into the trash, what ends with `/` as a folder with all it holds: one batch. Throws as
   * `removeMany`, and as `requireConfirmed` if there are folders.
   */
  async removeNamed(
    caller: Caller,
    named: NamedFiles,
    isConfirmed: boolean,
    within?: Within<RemovedFiles>,
  ): Promise<RemovedFiles> {
    const { files } = this.parts;
    if ("ids" in named) return files.removeMany(caller, named, within);
    const { true: folders = [], false: others = [] } = Object.groupBy(named.paths, (path) =>
      isOfFolder(path) ? "true" : "false",
    );
    const rest = { drive: named.drive, paths: others };
    if (folders.length === 0) return files.removeMany(caller, rest, within);
    this.parts.paths.requireConfirmed(isConfirmed);
    this.parts.access.driveToWrite(caller, named.drive, null);
    const parsed = Map.groupBy(folders, (path) => parseFolderPath("paths", path));
    for (const [at, path] of others.entries()) parsePathOfFile(`paths[${at}]`, path);
    const batch = this.parts.batches.open("delete", authorOf(caller));
    return this.parts.batches.whole(batch, async () => {
      const deleted: string[] = [];
      const trashIds: (TrashId | null)[] = [];
      const failed: string[] = [];
      for (const [folder, names] of parsed) {
        const trashId = await this.#removeFolder(caller, named.drive, folder, batch);
        if (trashId === undefined) failed.push(...names);
        else {
          deleted.push(...names);
          trashIds.push(...names.map(() => trashId));
        }
      }
      return files.removeMany(caller, rest, within, batch, { deleted, trashIds, failed, batch: null });
    });
  }

  /** Its entry in the trash, null if it is not kept; undefined if it could not be removed. */
  async #removeFolder(
    caller: Caller,
    drive: string,
    path: FolderPath,
    batch: Batch,
  ): Promise<TrashId | null | undefined> {
    try {
      return (await this.parts.folders.remove(caller, drive, path, undefined, batch)).trashId;
    } catch (error) {
      if (isOfOne(error)) return undefined;
      throw error;
    }
  }

  /**
   * Copies or moves each into one folder, where it keeps its name: a batch. What fails stops no other, unless the server
   * cannot go on at all. `within` is called in the last transaction. Throws NOT_FOUND for a drive.
   */
  transfer(
    how: "copy" | "move",
    caller: Caller,
    all: readonly Named[],
    to: Destination,
    within?: Within<Outcomes>,
  ): Promise<Outcomes> {
    const { access, batches, files } = this.parts;
    const drives = all.flatMap((each) => ("drive" in each ? each.drive : []));
    for (const drive of new Set(drives)) access.drive(caller, drive);
    if (to.driveId !== undefined) access.driveToWrite(caller, to.driveId, null);
    const batch = batches.open(how, authorOf(caller));
    const outcomes = new Map<Named, Pick<Outcome, "to" | "error">>();
    const partOf = (named: Named): BatchPart => ({
      run: (stamp) => {
        const { file, isSkipped } = files.transferred(how, caller, named, to, UNCONDITIONAL, stamp);
        outcomes.set(named, { to: isSkipped ? null : file.path, error: null });
      },
    });
    const note = (some: readonly Named[], errors: readonly PartError[]) => {
      for (const [at, named] of some.entries()) {
        const error = errors[at] ?? null;
        if (error !== null) outcomes.set(named, { to: null, error });
      }
    };
    return batches.whole(batch, async () => {
      let waiting: Named[] = [];
      for (const [at, named] of all.entries()) {
        if (at % LOOKED_AT === LOOKED_AT - 1) await nextTurn();
        const folder = this.#folderOf(caller, named);
        if (folder === null) {
          waiting.push(named);
          continue;
        }
        note(waiting, await batches.each(caller, batch, waiting.map(partOf)));
        waiting = [];
        outcomes.set(named, await this.#transferFolder(how, caller, folder, to, batch));
      }
      const result = (errors: readonly PartError[], id: BatchId | null): Outcomes => {
        note(waiting, errors);
        const each = all.map((named) => ({ name: nameOf(named), ...(outcomes.get(named) ?? UNTOUCHED) }));
        return { each, batch: id };
      };
      return batches.last(caller, batch, waiting.map(partOf), result, within);
    });
  }

  /** The folder that is meant; null for a file, and for what is not there. */
  #folderOf(caller: Caller, named: Named): PathRef | null {
    if ("id" in named) return null;
    try {
      const path = this.parts.paths.meant(caller, named);
      return isOfFolder(path) ? { ...named, path } : null;
    } catch (error) {
      // It is refused as that of a file.
      if (isOfOne(error)) return null;
      throw error;
    }
  }

  async #transferFolder(
    how: "copy" | "move",
    caller: Caller,
    folder: PathRef,
    to: Destination,
    batch: Batch,
  ): Promise<Pick<Outcome, "to" | "error">> {
    try {
      const ref = { ...folder, keepsName: true };
      const done = await this.parts.paths.transferFolder(how, caller, ref, to, undefined, batch);
      const path = done.kind === "file" ? done.file.path : done.folder.path;
      return { to: done.isSkipped ? null : path, error: null };
    } catch (error) {
      if (isOfOne(error)) return { to: null, error };
      throw error;
    }
  }
}

const UNTOUCHED = { to: null, error: null };

function nameOf(named: Named): string {
  return "id" in named ? named.id : named.path;
}
