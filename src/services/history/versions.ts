import type { Within } from "../../db/engine/database.ts";
import { bodyOf } from "../../db/files/files.ts";
import type { ShownVersions } from "../../db/history/file-versions.ts";
import { type Stamp, stampOf } from "../../domain/changes/change.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, notFound, orNotFound } from "../../domain/errors.ts";
import type { File, FileRef } from "../../domain/files/file.ts";
import { type FileVersion, keptSince, keptWindow, parseVersionNumber } from "../../domain/history/history.ts";
import { mimeTypeOf } from "../../domain/contents/mime-types.ts";
import { parsePathOfFile, ROOT } from "../../domain/files/path.ts";
import { type Precondition, requirePrecondition } from "../../domain/files/precondition.ts";
import { partOf } from "../files/listings.ts";
import { parseName } from "../../domain/contents/texts/text.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

export interface LabelledVersion {
  readonly version: number;
  readonly label: string | null;
}

/**
 * The contents that files had before. Only those from a file's present drive are shown and, to a caller with a prefix,
 * from its time in there: who sees a moved file does not see what it was elsewhere. All methods throw NOT_FOUND.
 */
export class Versions extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "tree" | "changes" | "clock" | "retention">
> {
  /**
   * A page, newest first, with how many there are on all, the number before which the next one starts, and that of the
   * content that the file has now. Throws FORBIDDEN for a reader.
   */
  list(caller: Caller, ref: FileRef, { limit, before }: { limit: number; before: number | null }) {
    const file = this.#file(caller, ref);
    const { fileVersions } = this.parts.tables;
    const shown = this.#shown(caller, file);
    const some = fileVersions.page(file, shown, before ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const { found: versions, next: nextBefore } = partOf(some, limit, ({ version }) => version);
    const { label, message } = this.parts.tables.versionLabels.ofPresent(file);
    const current = { version: file.version, label, message };
    return { versions, total: fileVersions.count(file, shown), nextBefore, current };
  }

  /**
   * Gives a version, or the present content, a label that no other content of the file has then; null for none. Throws
   * FORBIDDEN for a reader, VALIDATION_ERROR.
   */
  label(caller: Caller, ref: FileRef, number: string, name: string | null, within?: Within<LabelledVersion>) {
    const label = name === null ? null : parseName("label", name);
    return this.parts.access.write(caller, within, () => {
      const file = this.parts.access.fileToWrite(caller, ref);
      const { version } = this.#at(caller, file, number);
      const { versionLabels } = this.parts.tables;
      const { id: fileId, drivePk: drive, path } = file;
      if (versionLabels.get(fileId, version) === label) return { version, label };
      if (label === null) versionLabels.remove(fileId, version);
      else versionLabels.set({ file: fileId, label, version });
      const stamp = stampOf(caller, this.parts.clock.now());
      const named = label === null ? {} : { ref: label };
      this.parts.changes.add({ drive, type: "version.labelled", path, fileId, version, ...named, stamp });
      return { version, label };
    });
  }

  /** The file with the content of a version, or the present one, to read that. Nothing else of it is from then. */
  fileAt(caller: Caller, ref: FileRef, number: string): File {
    return this.#at(caller, this.#file(caller, ref), number);
  }

  /** The file with two of its contents. @param compared undefined for the newest version, and the present content */
  pair(caller: Caller, ref: FileRef, { from, to }: Record<"from" | "to", number | undefined>): [File, File] {
    const file = this.#file(caller, ref);
    const at = (number: number) => this.#at(caller, file, String(number));
    const { fileVersions } = this.parts.tables;
    const newest = () => fileVersions.page(file, this.#shown(caller, file), Number.MAX_SAFE_INTEGER, 1)[0];
    return [at(from ?? orNotFound(newest(), "version").version), at(to ?? file.version)];
  }

  /** Gives a file a version's content and type; the present becomes one. Throws PRECONDITION_FAILED, QUOTA_EXCEEDED. */
  restore(caller: Caller, ref: FileRef, number: string, precondition: Precondition, within?: Within<File>) {
    return this.parts.access.write(caller, within, () => {
      const file = this.parts.access.fileToWrite(caller, ref);
      const version = this.#version(caller, file, number);
      requirePrecondition(precondition, file);
      return this.#bringBack(caller, file, version, stampOf(caller, this.parts.clock.now()));
    });
  }

  /** Like `restore`, inside a write, for a file that is there to be written. */
  restoreOf(caller: Caller, file: File, number: number, stamp: Stamp): File {
    return this.#bringBack(caller, file, this.#version(caller, file, String(number)), stamp);
  }

  #bringBack(caller: Caller, file: File, version: FileVersion, stamp: Stamp): File {
    const { blobPk: blob, size, mimeType, mimeGiven } = version;
    // A type that does not follow the filename any more was given, in effect.
    const isGiven = mimeGiven || mimeType !== mimeTypeOf(file.filename);
    const body = { ...bodyOf(file), blob, size, mimeType, mimeGiven: isGiven };
    const drive = this.parts.access.driveToWrite(caller, file.driveId, file.path);
    return this.parts.tree.change(drive, file, body, stamp);
  }

  /** Removes a version for good. Returns its number. */
  remove(caller: Caller, ref: FileRef, number: string, within?: Within<number>): Promise<number> {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const file = this.parts.access.fileToWrite(caller, ref);
      const drive = this.parts.access.driveToManage(caller, file.driveId);
      const { pk, version } = this.#version(caller, file, number);
      this.parts.tables.fileVersions.remove(pk);
      this.parts.audit.add(caller, {
        action: "version.deleted_for_good",
        subject: { kind: "version", id: file.id, name: file.path },
        driveId: drive.id,
        detail: { drive: drive.name, version },
      });
      return version;
    });
  }

  #file(caller: Caller, ref: FileRef): File {
    const file = this.parts.access.findFile(caller, ref) ?? this.#missing(caller, ref);
    this.parts.access.requireHistory(caller, this.parts.access.drive(caller, file.driveId));
    return file;
  }

  /** Says that a file is missing; if it was deleted just now, also where it is. */
  #missing(caller: Caller, ref: FileRef): never {
    if ("drive" in ref) {
      const { tables, access, retention, clock } = this.parts;
      const drive = access.drive(caller, ref.drive);
      const path = parsePathOfFile("path", ref.path);
      access.requireInside(caller, drive, path);
      access.requireHistory(caller, drive);
      const entry = tables.trash.newestAt(drive.pk, keptSince(retention, clock.now()), path);
      if (entry !== null) {
        throw new CofferError(
          "NOT_FOUND",
          `No such file: it was deleted, and is in the trash as ${entry}. Restore it first, with POST /v0/trash/${entry}/restore.`,
        );
      }
    }
    throw notFound("file");
  }

  /** A file with one of its contents, whoever may see that; null if it is not kept. */
  keptContent(file: File, number: number): File | null {
    if (number === file.version) return file;
    const shown = { ...keptWindow(this.parts.retention, this.parts.clock.now()), folder: ROOT };
    const version = this.parts.tables.fileVersions.get(file, shown, number);
    return version && withContent(file, version);
  }

  #at(caller: Caller, file: File, number: string): File {
    if (parseVersionNumber(number) === file.version) return file;
    return withContent(file, this.#version(caller, file, number));
  }

  #version(caller: Caller, file: File, number: string): FileVersion {
    const parsed = parseVersionNumber(number);
    const { fileVersions } = this.parts.tables;
    const shown = this.#shown(caller, file);
    return orNotFound(parsed === null ? null : fileVersions.get(file, shown, parsed), "version");
  }

  #shown(caller: Caller, { drivePk }: File): ShownVersions {
    const folder = this.parts.access.prefixOf(caller, { pk: drivePk });
    return { ...keptWindow(this.parts.retention, this.parts.clock.now()), folder };
  }
}

/** A file as it would be with another of its contents. */
function withContent(file: File, kept: FileVersion): File {
  const { filename, mimeType, mimeGiven, size, blobPk, digest, preview, replacedAt, version } = kept;
  const content = { filename, mimeType, mimeGiven, size, blobPk, digest, preview };
  return { ...file, ...content, version, updatedAt: replacedAt };
}
