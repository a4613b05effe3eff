import type { Batch } from "../../domain/changes/batch.ts";
import type { Change, Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import type { File } from "../../domain/files/file.ts";
import { type FolderPath, parentFolder, parseFolderPath, ROOT } from "../../domain/files/path.ts";
import { keptWindow } from "../../domain/history/history.ts";
import { timeOfId } from "../../domain/id.ts";
import { fileDeleted } from "../changes/entries.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** How many changes one write takes back. */
const AT_ONCE = 12;

/**
 * Takes back batches of uploads that are all or nothing, when they fail: by the server, whatever its caller may do by
 * now. What somebody has changed since stays. So nothing is in the trash of what was never to be there.
 */
export class BatchReversal extends Service<
  Pick<Parts, "tables" | "tree" | "changes" | "retention" | "clock">
> {
  /** May be run again after it failed. */
  async run(batch: Batch): Promise<void> {
    const { tables } = this.parts;
    for (const { drive: pk } of tables.changes.sumsOf(batch.id)) {
      let before = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const some = tables.changes.ofBatch(batch.id, pk, before, AT_ONCE);
        await tables.writeFromReserve(() => {
          const now = this.parts.clock.now();
          const drive = tables.drives.byPk(pk, now);
          if (drive === null) return;
          for (const change of some) this.#takeBack(drive, batch, change, { now, by: null, batch: batch.id });
        });
        const last = some.at(-1);
        if (last === undefined) break;
        before = last.number;
      }
    }
    await tables.writeFromReserve(() => tables.batches.end(batch.id));
  }

  /** Inside a write. What the server did is what it has taken back. */
  #takeBack(drive: Drive, batch: Batch, change: Change, stamp: Stamp): void {
    if (change.by === null) return;
    if (change.type === "folder.created") {
      this.#removeEmpty(drive, batch, parseFolderPath("path", change.path));
      return;
    }
    const file = change.fileId === null ? null : this.parts.tables.files.byId(change.fileId);
    if (file === null || file.path !== change.path || file.digest !== change.after?.digest) return;
    if (change.type === "file.created") {
      this.parts.tree.removeAll([file], stamp);
      this.parts.changes.add(fileDeleted(file, null, stamp));
      this.#removeEmpty(drive, batch, parentFolder(file.path));
    } else this.#putBack(drive, batch, file, change, stamp);
  }

  #putBack(drive: Drive, batch: Batch, file: File, change: Change, stamp: Stamp): void {
    const { tables, retention } = this.parts;
    const attributes = tables.batches.replaced(batch.id, file.id);
    if (attributes === null) return;
    const hasContent = change.before?.digest !== change.after?.digest;
    const shown = { ...keptWindow(retention, stamp.now), folder: ROOT };
    const version = hasContent ? tables.fileVersions.get(file, shown, file.version - 1) : file;
    if (version === null) return;
    this.parts.tree.change(drive, file, { ...attributes, blob: version.blobPk, size: version.size }, stamp);
  }

  /** Removes the folders of a path that were made for the batch, and have nothing in them. */
  #removeEmpty(drive: Drive, batch: Batch, path: FolderPath): void {
    for (let at = path; at !== ROOT; at = parentFolder(at)) {
      const folder = this.parts.tables.folders.byPath(drive.pk, at);
      if (folder === null || folder.ownFileCount + folder.ownFolderCount > 0) return;
      if (folder.createdAt < timeOfId(batch.id)) return;
      this.parts.tree.removeFolders([folder.pk]);
    }
  }
}
