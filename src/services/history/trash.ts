import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import type { SingleTrashedFile } from "../../db/history/trash.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { type Stamp, stampOf } from "../../domain/changes/change.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { AuditFacts } from "../../domain/audit/audit-event.ts";
import { ofDrive } from "../../domain/audit/subjects.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { notFound, present } from "../../domain/errors.ts";
import {
  type DriveId,
  type DrivePk,
  type FileId,
  parseId,
  type TrashId,
  type TrashPk,
} from "../../domain/id.ts";
import { mimeTypeOf } from "../../domain/contents/mime-types.ts";
import { lastSegment, parseFilePath, parseFolderPath, parsePrefix } from "../../domain/files/path.ts";
import {
  keptSince,
  keptUntil,
  type TrashedPlace,
  type TrashEntry,
  type TrashPosition,
} from "../../domain/history/history.ts";
import type { FolderChanges } from "../folders/folder-changes.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { requireFurther } from "../pieces.ts";
import { nearestPlace } from "./restore-places.ts";

/** How many entries one query reads, and how many one page looks at, at most. */
const ENTRIES = { query: 100, page: 10_000 };
/** How many entries one step of emptying counts, and how many one transaction of it marks. */
const STEPS = { count: 2000, mark: 200 };

interface TrashListRequest {
  /** An id or slug; undefined for all drives of the caller. */
  readonly driveId: string | undefined;
  /** Only entries whose paths start with it. */
  readonly prefix: string;
  readonly limit: number;
  readonly after: TrashPosition | null;
}

export type ShownEntry = TrashEntry & {
  /** Until when it is kept, in milliseconds since the epoch. */
  readonly expiresAt: number;
};

/** An entry that was restored, and where it is now. */
export interface RestoredEntry {
  readonly entry: ShownEntry;
  readonly place: TrashedPlace;
  /** Null for a folder. */
  readonly fileId: FileId | null;
}

/** What emptying the trash of a drive would delete, or has deleted. */
export interface EmptiedTrash {
  readonly driveId: DriveId;
  readonly entries: number;
}

/** Lists what was deleted, brings it back, and deletes it for good. */
export class Trash extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "tree" | "locks" | "retention" | "clock"> & {
    folderChanges: FolderChanges;
  }
> {
  /**
   * A page of the trash, newest first, and the position after which the next one starts. It looks at so many entries at
   * most: with a prefix it may show few, and have a next page. Throws NOT_FOUND, FORBIDDEN.
   */
  async list(caller: Caller, { driveId, prefix, limit, after }: TrashListRequest) {
    const wanted = parsePrefix("prefix", prefix);
    const allowed = this.#prefixes(caller, driveId);
    const isShown = ({ drivePk, path, kind, fileCount }: TrashEntry) =>
      path.startsWith(wanted) &&
      path.startsWith(allowed.get(drivePk) ?? "") &&
      (kind === "folder" || fileCount > 0);
    const now = this.parts.clock.now();
    const selection = { drives: [...allowed.keys()], since: keptSince(this.parts.retention, now), now };
    const showsAll = wanted === "" && [...allowed.values()].every((folder) => folder === "");
    const query = showsAll ? Math.min(limit + 1, ENTRIES.query) : ENTRIES.query;
    const found: TrashEntry[] = [];
    let last = after;
    for (let seen = 0; seen < ENTRIES.page; await nextTurn()) {
      const some = this.parts.tables.trashLists.page(selection, last, query);
      found.push(...some.filter(isShown));
      if (found.length > limit) return this.#page(found.slice(0, limit), found[limit - 1] ?? null);
      if (some.length < query) return this.#page(found, null);
      last = some.at(-1) ?? null;
      seen += some.length;
    }
    return this.#page(found, last);
  }

  /** Throws NOT_FOUND for an entry that the caller may not see or that was restored or emptied, and FORBIDDEN. */
  get(caller: Caller, id: string): ShownEntry {
    const { tables, access, retention, clock } = this.parts;
    const parsed = parseId<TrashId>(id);
    const now = clock.now();
    const entry = parsed && tables.trashLists.byId(parsed, keptSince(retention, now), now);
    if (entry === null || (entry.kind === "file" && entry.fileCount === 0)) throw notFound("trash entry");
    const drive = access.findDrive(caller, entry.driveId);
    if (drive === null || !entry.path.startsWith(access.prefixOf(caller, drive)))
      throw notFound("trash entry");
    access.requireHistory(caller, drive);
    return this.#shown(entry);
  }

  /**
   * Puts an entry back, to its path or beside what is there now. If it rejects, nothing is there, or soon will be.
   * Throws NOT_FOUND, FORBIDDEN, QUOTA_EXCEEDED, STORAGE_FULL, VALIDATION_ERROR; CONFLICT if a given `path` is taken.
   */
  async restore(
    caller: Caller,
    id: string,
    path: string | undefined,
    within?: Within<RestoredEntry>,
    batch?: Batch,
  ): Promise<RestoredEntry> {
    const { kind } = this.get(caller, id);
    await this.parts.tables.requireWritable();
    if (kind === "file")
      return this.parts.access.write(caller, within, () =>
        this.restoreFile(caller, id, path, this.#stamp(caller)),
      );
    const begin = (stamp: Stamp) => {
      const { entry, drive, place } = this.#begin(caller, id, path, stamp);
      if (place.kind === "file") throw new Error("a folder of the trash has become a file");
      const work = this.parts.folderChanges.restore(drive, entry, place.path, stamp);
      return { work, files: entry.fileCount, result: () => ({ entry, place, fileId: null }) };
    };
    return this.parts.folderChanges.perform(caller, within, begin, "write", batch);
  }

  /** Deletes an entry for good. Its space is freed later. Throws NOT_FOUND, FORBIDDEN. */
  remove(caller: Caller, id: string, within?: Within<ShownEntry>): Promise<ShownEntry> {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const entry = this.get(caller, id);
      const { name } = this.parts.access.driveToManage(caller, entry.driveId);
      this.parts.locks.requireEntryFree(entry.drivePk, entry.pk);
      this.parts.tables.trash.setState(entry.pk, "gone");
      this.parts.audit.add(caller, {
        action: `${entry.kind}.deleted_for_good`,
        subject: { kind: entry.kind, id: entry.id, name: entry.path },
        driveId: entry.driveId,
        detail: { drive: name, files: entry.fileCount },
      });
      return entry;
    });
  }

  /** Counts what `empty` would delete. It changes nothing, but is a write, so `within` can keep the response. */
  async previewEmptying(caller: Caller, driveId: string, within?: Within<EmptiedTrash>) {
    const drive = this.parts.access.driveToManage(caller, driveId);
    let entries = 0;
    for (let after: TrashPosition | null = this.#oldest(); after !== null; await nextTurn()) {
      const some = this.parts.tables.trash.some(drive.pk, after, STEPS.count);
      entries += some.length;
      after = some.length < STEPS.count ? null : (some.at(-1) ?? null);
    }
    return this.parts.access.writeFromReserve(caller, within, () => {
      const { id } = this.parts.access.driveToManage(caller, driveId);
      return { driveId: id, entries };
    });
  }

  /**
   * Deletes what is in the trash of a drive, in several transactions; those before an error stay. `within` is called in
   * the last. What a running change uses stays. Throws NOT_FOUND, and FORBIDDEN unless the caller manages the drive.
   */
  async empty(caller: Caller, driveId: string, within?: Within<EmptiedTrash>): Promise<EmptiedTrash> {
    const { trash } = this.parts.tables;
    let [entries, after] = [0, this.#oldest()];
    for (;;) {
      const step = await this.parts.access.writeFromReserve(
        caller,
        ({ emptied, last }: { emptied: EmptiedTrash; last: TrashPosition | null }) =>
          last === null ? within?.(emptied) : undefined,
        () => {
          const drive = this.parts.access.driveToManage(caller, driveId);
          const some = trash.some(drive.pk, after, STEPS.mark);
          for (const { pk } of some) trash.setState(pk, "gone");
          const emptied = { driveId: drive.id, entries: entries + some.length };
          const isLast = some.length < STEPS.mark;
          if (isLast) this.parts.audit.add(caller, trashEmptied(drive, emptied));
          return { emptied, last: isLast ? null : (some.at(-1) ?? null) };
        },
      );
      if (step.last === null) return step.emptied;
      requireFurther("the emptying of a trash", after.id, step.last.id);
      [entries, after] = [step.emptied.entries, step.last];
    }
  }

  /** The position before all entries that are kept still. */
  #oldest(): TrashPosition {
    return { deletedAt: keptSince(this.parts.retention, this.parts.clock.now()) + 1, id: "" };
  }

  #shown(entry: TrashEntry): ShownEntry {
    const keptTo = keptUntil(this.parts.retention, entry.deletedAt);
    return { ...entry, expiresAt: Math.min(keptTo, entry.fileExpiresAt ?? keptTo) };
  }

  #page(entries: readonly TrashEntry[], nextAfter: TrashPosition | null) {
    return { entries: entries.map((entry) => this.#shown(entry)), nextAfter };
  }

  /** The drives to look into, and the folder that the caller is limited to in each. */
  #prefixes(caller: Caller, driveId: string | undefined): Map<DrivePk, string> {
    if (driveId !== undefined) {
      const drive = this.parts.access.drive(caller, driveId);
      this.parts.access.requireHistory(caller, drive);
      return new Map([[drive.pk, this.parts.access.prefixOf(caller, drive)]]);
    }
    const drives = this.parts.access.drives(caller).filter(({ role }) => role !== "reader");
    return new Map(drives.map((drive) => [drive.pk, this.parts.access.prefixOf(caller, drive)]));
  }

  /** Inside a write: the entry, and a free place for it. */
  #begin(caller: Caller, id: string, path: string | undefined, stamp: Stamp) {
    const entry = this.get(caller, id);
    this.parts.locks.requireEntryFree(entry.drivePk, entry.pk);
    const drive = this.parts.access.driveToWrite(caller, entry.driveId, entry.path);
    const place =
      path === undefined ? nearestPlace(this.parts, drive, entry, stamp) : this.#placeAt(entry, path);
    this.parts.access.driveToWrite(caller, entry.driveId, place.path);
    return { entry, drive, place };
  }

  #placeAt({ kind, pk }: TrashEntry, path: string): TrashedPlace {
    if (kind === "folder") return { kind, path: parseFolderPath("path", path) };
    return { kind, path: parseFilePath("path", path, this.#fileOf(pk).filename) };
  }

  /** Like `restore`, inside a write, for an entry that is a file. */
  restoreFile(caller: Caller, id: string, path: string | undefined, stamp: Stamp): RestoredEntry {
    const { entry, drive, place } = this.#begin(caller, id, path, stamp);
    if (place.kind === "folder") throw new Error("a file of the trash has become a folder");
    const file = this.#fileOf(entry.pk);
    const filename = lastSegment(place.path);
    // The name decides the type unless the uploader gave one.
    const mimeType = file.mimeGiven ? file.mimeType : mimeTypeOf(filename);
    const naming = place.path === entry.path ? null : { filename, mimeType };
    this.parts.tree.restore(drive, { ...file, naming }, place.path, entry.id, stamp);
    this.parts.tables.trash.remove(entry.pk);
    return { entry, place, fileId: file.id };
  }

  #stamp(caller: Caller): Stamp {
    return stampOf(caller, this.parts.clock.now());
  }

  #fileOf(entry: TrashPk): SingleTrashedFile {
    return present(this.parts.tables.trashContents.fileOf(entry), "the file of an entry of the trash");
  }
}

function trashEmptied(drive: Drive, { entries }: EmptiedTrash): AuditFacts {
  return { action: "trash.emptied", ...ofDrive(drive), detail: { entries } };
}
