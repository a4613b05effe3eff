import type { Tables } from "../../db/tables.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import type { File } from "../../domain/files/file.ts";
import { newId, type TrashId } from "../../domain/id.ts";
import { keepsDeleted, keepsVersions, type Retention } from "../../domain/history/history.ts";
import { Service } from "../service.ts";

/** Keeps what single files were before they change or go. Every method runs inside a write. */
export class KeptFiles extends Service<{ tables: Tables; retention: Retention }> {
  /** Keeps the content of a file as a version. Call it before the content is replaced: it must always have a reference. */
  keepContent(file: Pick<File, "pk" | "id">, stamp: Stamp): void {
    if (!keepsVersions(this.parts.retention)) return;
    this.parts.tables.fileVersions.keep(file.pk, stamp);
    this.parts.tables.fileVersions.trim(file.id, this.parts.retention.versions);
  }

  /** Copies a file, which is about to be removed, into an entry of the trash. Returns that; null if it is not kept. */
  keepDeleted({ pk, drivePk, path }: File, { now, by }: Stamp): TrashId | null {
    if (!keepsDeleted(this.parts.retention)) return null;
    const id = newId<TrashId>(now);
    const { trash } = this.parts.tables;
    const state = { kind: "file", state: "kept", deletedAt: now, deletedBy: by } as const;
    const entry = trash.insert({ id, drive: drivePk, path, ...state });
    trash.takeFile(entry, pk, path);
    return id;
  }
}
