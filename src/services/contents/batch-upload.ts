import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import { CofferError, pathTaken } from "../../domain/errors.ts";
import type { File } from "../../domain/files/file.ts";
import {
  type FolderPath,
  inFolder,
  parseFolderOrRoot,
  parseFolderPath,
  parsePathOfFile,
  withSlash,
} from "../../domain/files/path.ts";
import { type Precondition, UNCONDITIONAL } from "../../domain/files/precondition.ts";
import type { OnConflict } from "../../domain/files/taken.ts";
import type { BatchId } from "../../domain/id.ts";
import { startOf } from "../../domain/contents/texts/text.ts";
import { BATCH, PATH_BYTES } from "../../domain/limits.ts";
import { AT_ONCE, type BatchPart, isOfOne, type PartError } from "../changes/batches.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { freeBeside } from "../files/free-places.ts";
import { type CheckedFile, errorAt, requireAllAtOnce } from "./batch-checks.ts";
import type { StagedFile, Upload } from "./upload.ts";
import type { UploadFields } from "./upload-fields.ts";
import type { Uploads } from "./uploads.ts";

export interface BatchOptions {
  /** An id or slug. */
  readonly drive: string;
  /** The folder that all paths are in; empty for the drive. */
  readonly prefix: string;
  readonly onConflict: OnConflict;
  /** Whether all of them are written or none. */
  readonly isAtomic: boolean;
}

/** What is sent of a file, beside its content. */
export interface BatchFields extends Omit<
  UploadFields,
  "driveId" | "filename" | "path" | "contentType" | "keepsRest"
> {
  readonly path: string;
  readonly contentType?: string | undefined;
  readonly precondition?: Precondition;
}

/** A file, or a folder, that is sent with others. */
export interface BatchSource {
  readonly line: number | null;
  readonly path: string | null;
  readonly isFolder: boolean;
  readonly read: (write: (piece: Uint8Array) => Promise<void>) => Promise<BatchFields>;
}

export interface BatchOutcome {
  readonly line: number | null;
  readonly path: string;
  readonly status: "created" | "replaced" | "skipped" | "failed";
  /** Null for one that failed. */
  readonly file: File | null;
  readonly error: CofferError | null;
}

export interface WrittenBatch {
  /** Of each file, in the order in which they were sent; of folders only those that failed. */
  readonly outcomes: readonly BatchOutcome[];
  /** Null if nothing was changed. */
  readonly batch: BatchId | null;
}

export type BatchUploadParts = Pick<
  Parts,
  "tables" | "access" | "tree" | "quota" | "retention" | "batches" | "clock"
> &
  Pick<BatchOptions, "drive" | "onConflict"> & {
    readonly caller: Caller;
    readonly prefix: FolderPath;
    readonly together: Awaited<ReturnType<Uploads["beginMany"]>>;
    readonly batch: Batch;
    readonly ends: Disposable;
  };

/** What was sent, and what became of it; null so far, and for a folder that is there. */
interface Sent {
  readonly line: number | null;
  path: string;
  outcome: Pick<BatchOutcome, "status" | "file" | "error"> | null;
}

/** A folder, or a file whose content is durable. */
interface Ready extends BatchPart {
  readonly sent: Sent;
  /** Null for a folder. */
  readonly file: CheckedFile | null;
  /** See `StagedFile`. */
  readonly end: (isPut: boolean) => Promise<void>;
}

/** A batch that is arriving. Dispose of it at its end: what was not written is dropped. */
export class BatchUpload extends Service<BatchUploadParts> implements AsyncDisposable {
  readonly #sent: Sent[] = [];
  #waiting: { readonly sent: Sent; readonly ready: Promise<Ready> }[] = [];
  /** What can be written, and is not; where all is done or nothing, everything until the end. */
  readonly #ready = new Set<Ready>();

  /** Throws UNAUTHORIZED, NOT_FOUND, FORBIDDEN for who may not write any more. */
  requireAllowed(): void {
    this.parts.together.requireAllowed();
  }

  /** Runs all of it; see `Batches.whole`. */
  whole<T>(work: () => Promise<T>): Promise<T> {
    return this.parts.batches.whole(this.parts.batch, work);
  }

  /** Takes what comes next. Throws what is not about it alone; where all is done or nothing, any error. */
  async add({ line, path, isFolder, read }: BatchSource): Promise<void> {
    const sent: Sent = { line, path: shown(path ?? ""), outcome: null };
    this.#sent.push(sent);
    try {
      const upload = isFolder ? null : await this.parts.together.open();
      const fields = await (upload === null ? read(nothing) : this.#received(upload, read));
      const ready = upload === null ? this.#folder(sent, fields) : this.#staged(sent, upload, fields);
      // It is awaited later, perhaps after it has failed.
      ready.catch(() => {});
      this.#waiting.push({ sent, ready });
    } catch (error) {
      this.#fail(sent, error);
    }
    if (this.#waiting.length < AT_ONCE) return;
    await this.#settle();
    if (!this.parts.batch.isAtomic) await this.#write();
  }

  /** Writes what is left. `within` is called in the last write. Throws as `add`. */
  async finish(within?: Within<WrittenBatch>): Promise<WrittenBatch> {
    const { batches, caller, batch } = this.parts;
    await this.#settle();
    const last = [...this.#ready];
    if (batch.isAtomic) await requireAllAtOnce(this.parts, last);
    const result = (errors: readonly PartError[], id: BatchId | null): WrittenBatch => {
      this.#note(last, errors);
      return { outcomes: this.#sent.flatMap(outcomesOf), batch: id };
    };
    const written = await batches.last(caller, batch, last, result, within);
    await this.#end(last);
    return written;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of await Promise.allSettled(this.#waiting.map(({ ready }) => ready))) {
      if (each.status === "fulfilled") this.#ready.add(each.value);
    }
    await this.#end([...this.#ready]);
    this.parts.ends[Symbol.dispose]();
  }

  async #folder(sent: Sent, { path }: BatchFields): Promise<Ready> {
    const { prefix, access, tree, caller } = this.parts;
    // Archivers name the folder that they are called in.
    const below = path === "" ? "" : parseFolderPath("path", withSlash(path));
    const folder = parseFolderOrRoot("path", prefix + below);
    sent.path = folder;
    const run = (stamp: Stamp) => {
      const drive = access.driveToWrite(caller, this.parts.drive, folder);
      tree.ensureFolder(drive, folder, stamp);
      sent.outcome = null;
    };
    return { sent, run, file: null, end: () => Promise.resolve() };
  }

  /** Reads a content. If that fails, nothing is left of it. */
  async #received(upload: Upload, read: BatchSource["read"]): Promise<BatchFields> {
    try {
      return await read((piece) => writeTo(upload, piece));
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  /** Makes the content durable. */
  async #staged(
    sent: Sent,
    upload: Upload,
    { precondition = UNCONDITIONAL, ...fields }: BatchFields,
  ): Promise<Ready> {
    try {
      sent.path = shown(fields.path);
      const path = parsePathOfFile("path", inFolder(this.parts.prefix, parsePathOfFile("path", fields.path)));
      sent.path = path;
      const staged = await upload.stage({
        contentType: undefined,
        ...fields,
        driveId: this.parts.drive,
        path,
        keepsRest: true,
      });
      const file = { path, size: staged.size, precondition };
      const run = (stamp: Stamp) => {
        sent.outcome = this.#put(staged, precondition, stamp);
      };
      return { sent, run, file, end: (isPut) => staged.end(isPut) };
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  /** Inside a write. */
  #put(staged: StagedFile, precondition: Precondition, stamp: Stamp): Sent["outcome"] {
    const { access, tree, tables, caller, drive: reference, onConflict, batch } = this.parts;
    const drive = access.driveToWrite(caller, reference, staged.path);
    const present = tree.occupant(drive, staged.path, stamp);
    if (present !== null && onConflict === "skip") return { status: "skipped", file: present, error: null };
    if (present !== null && onConflict === "fail") throw pathTaken("file", staged.path);
    const path = onConflict === "keep_both" ? freeBeside(this.parts, drive, staged.path, stamp) : staged.path;
    if (present !== null && path === staged.path && batch.isAtomic)
      tables.batches.keepReplaced(batch.id, present);
    const { file, created } = staged.put(stamp, precondition, path);
    return { status: created ? "created" : "replaced", file, error: null };
  }

  /** Waits until the contents that have come are durable. */
  async #settle(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const settled = await Promise.allSettled(waiting.map(({ ready }) => ready));
    for (const each of settled) if (each.status === "fulfilled") this.#ready.add(each.value);
    for (const [at, { sent }] of waiting.entries()) {
      const each = settled[at];
      if (each?.status === "rejected") this.#fail(sent, each.reason);
    }
  }

  async #write(): Promise<void> {
    const { batches, caller, batch } = this.parts;
    const ready = [...this.#ready];
    this.#note(ready, await batches.each(caller, batch, ready));
    await this.#end(ready);
  }

  #note(ready: readonly Ready[], errors: readonly PartError[]): void {
    for (const [at, { sent }] of ready.entries()) {
      const error = errors[at] ?? null;
      if (error !== null) this.#fail(sent, error);
    }
  }

  #fail(sent: Sent, error: unknown): void {
    if (!isOfOne(error)) throw error;
    if (this.parts.batch.isAtomic) throw errorAt(sent, error);
    sent.outcome = { status: "failed", file: null, error };
  }

  async #end(ready: readonly Ready[]): Promise<void> {
    for (const each of ready) this.#ready.delete(each);
    const isPut = ({ sent }: Ready) =>
      sent.outcome?.status === "created" || sent.outcome?.status === "replaced";
    await Promise.all(ready.map((each) => each.end(isPut(each))));
  }
}

/** Throws PAYLOAD_TOO_LARGE for a content that is too long for a batch, and as `Upload.write`. */
async function writeTo(upload: Upload, piece: Uint8Array): Promise<void> {
  if (upload.received + piece.length > BATCH.fileBytes) {
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `A file of a batch may have at most ${BATCH.fileBytes} bytes: upload it alone, with PUT /v0/files.`,
    );
  }
  await upload.write(piece);
}

function outcomesOf({ line, path, outcome }: Sent): BatchOutcome[] {
  return outcome === null ? [] : [{ line, path: outcome.file?.path ?? path, ...outcome }];
}

/** As much of what was sent as a path can be. */
function shown(path: string): string {
  return startOf(path.toWellFormed(), PATH_BYTES);
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
