import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { type Edit, EditedText, requireEdits, sentBytes } from "../../domain/contents/edit/edited-text.ts";
import { asUtf8Steps, encodeSteps, Pace, type Paced } from "../../domain/contents/edit/pace.ts";
import { type Diff, unifiedDiffSteps } from "../../domain/contents/edit/unified-diff.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { File, FileRef } from "../../domain/files/file.ts";
import type { FileId } from "../../domain/id.ts";
import { DIFF_BYTES, EDIT_BYTES, MIB } from "../../domain/limits.ts";
import { type LineIndex, markBytes } from "../../domain/contents/texts/lines.ts";
import {
  type Precondition,
  PreconditionFailed,
  requirePrecondition,
} from "../../domain/files/precondition.ts";
import { asUtf8, type TextEncoding } from "../../domain/contents/texts/text-encoding.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { type LineIndexes, startOfLine } from "./texts.ts";
import { Turns } from "../turns.ts";
import type { Uploaded } from "./upload.ts";
import type { Uploads } from "./uploads.ts";

/** How often a file is edited anew that uploads replace at the same time. */
const ATTEMPTS = 5;
/** Longer texts are edited one at a time, since each is in memory several times. */
const LARGE_BYTES = MIB;
const PIECE_BYTES = 256 * 1024;

interface EditOptions {
  readonly precondition: Precondition;
  readonly dryRun: boolean;
  /** Whether text is appended to a new file if there is none at the path. */
  readonly creates?: boolean;
}

export interface EditedFile {
  readonly file: File;
  readonly diff: Diff;
  /** Whether there was no file. */
  readonly created: boolean;
}

interface Plan {
  readonly diff: Diff;
  /** The new content; each piece may be overwritten by the next. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** The content was replaced after it was read. */
class ReplacedMeanwhile extends Error {}

/** Edits of texts. Edits of the same file wait for each other; one that meets an upload is done anew. */
export class Edits extends Service<
  Pick<Parts, "access" | "blobs" | "damaged" | "usage"> & { uploads: Uploads; indexes: LineIndexes }
> {
  readonly #turns = new Turns<FileId | "large">();

  /**
   * All edits, in their order, or none. Appending takes no memory for the rest. Counts as bandwidth. Throws what
   * `Upload.finish` throws, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED, DamagedFile.
   */
  async apply(
    caller: Caller,
    ref: FileRef,
    edits: readonly Edit[],
    options: EditOptions,
    within?: Within<EditedFile>,
  ): Promise<EditedFile> {
    requireEdits(edits);
    const made = options.creates === true ? await this.#create(caller, ref, edits, options, within) : null;
    if (made !== null) return made;
    const { id, driveId, size } = this.parts.access.fileToWrite(caller, ref);
    const edit = () => inAttempts(() => this.#attempt(caller, ref, edits, options, within));
    const inMemory = size > LARGE_BYTES && !isAppending(edits);
    const edited = await this.#turns.take(id, () => (inMemory ? this.#turns.take("large", edit) : edit()));
    this.parts.usage.countReceived(caller, driveId, sentBytes(edits));
    return edited;
  }

  /** A new file with what is appended; null if there is a file already, as when somebody else was first. */
  async #create(
    caller: Caller,
    ref: FileRef,
    edits: readonly Edit[],
    { precondition, dryRun }: EditOptions,
    within: Within<EditedFile> | undefined,
  ): Promise<EditedFile | null> {
    if (!isAppending(edits)) throw invalid("create", "goes with appending only");
    if (dryRun || precondition.ifMatch !== null || !("drive" in ref)) return null;
    if (this.parts.access.findFile(caller, ref) !== null) return null;
    const text = Buffer.from(edits.map((edit) => edit.text).join(""));
    const compared = {
      path: ref.path,
      original: Buffer.alloc(0),
      now: text,
      changes: wholly(text),
      firstLine: 1,
    };
    const diff = await inTurns(unifiedDiffSteps(compared, new Pace()));
    const upload = await this.parts.uploads.begin(caller, ref.drive);
    try {
      for await (const piece of inPieces(text)) await upload.write(piece);
      const fields = { driveId: ref.drive, path: ref.path, contentType: undefined, isText: true };
      const made = ({ file }: Uploaded) => ({ file, diff, created: true });
      const onlyNew = { ...precondition, ifNoneMatch: "*" };
      return made(await upload.finish(fields, onlyNew, within && ((uploaded) => within(made(uploaded)))));
    } catch (error) {
      if (error instanceof PreconditionFailed && error.why === "exists") return null;
      throw error;
    } finally {
      await upload.abort();
    }
  }

  async #attempt(
    caller: Caller,
    ref: FileRef,
    edits: readonly Edit[],
    { precondition, dryRun }: EditOptions,
    within: Within<EditedFile> | undefined,
  ): Promise<EditedFile> {
    const file = this.parts.access.fileToWrite(caller, ref);
    requirePrecondition(precondition, file);
    const { diff, pieces } = await this.#plan(file, edits);
    const check = (present: File) => {
      requirePrecondition(precondition, present);
      if (present.id !== file.id || present.digest !== file.digest) throw new ReplacedMeanwhile();
    };
    if (dryRun) {
      return this.parts.access.write(caller, within, () => {
        const present = this.parts.access.fileToWrite(caller, ref);
        check(present);
        return { file: present, diff, created: false };
      });
    }
    const upload = await this.parts.uploads.begin(caller, file.driveId);
    try {
      for await (const piece of pieces()) await upload.write(piece);
      const replaced = await upload.replace(
        ref,
        check,
        within && ((edited) => within({ file: edited, diff, created: false })),
      );
      return { file: replaced, diff, created: false };
    } finally {
      await upload.abort();
    }
  }

  async #plan(file: File, edits: readonly Edit[]): Promise<Plan> {
    if (file.size > EDIT_BYTES && !isAppending(edits)) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `The file has ${file.size} bytes. Above ${EDIT_BYTES} bytes, text can only be appended. Use \`append\`, or download the file, change it, and upload it.`,
      );
    }
    await using content = await this.parts.damaged.readFor(file, () => this.parts.blobs.hold(file));
    const index = await this.parts.indexes.of(file, content.blob);
    return isAppending(edits)
      ? await this.#appending(file, content.blob, index, edits.map((edit) => edit.text).join(""))
      : await this.#editing(file, index.encoding, edits);
  }

  async #editing(file: File, encoding: TextEncoding, edits: readonly Edit[]): Promise<Plan> {
    const bytes = await this.parts.damaged.readFor(file, () => this.#readAll(file));
    const mark = bytes.subarray(0, markBytes(bytes, encoding));
    const pace = new Pace();
    const original = await inTurns(asUtf8Steps(bytes.subarray(mark.length), encoding, pace));
    const edited = new EditedText(original, pace);
    for (const edit of edits) await inTurns(edited.steps(edit));
    const { text: now, changes } = edited;
    const contents = await inTurns(encodeSteps(now, encoding, pace));
    const compared = { path: file.path, original, now, changes, firstLine: 1 };
    const diff = await inTurns(unifiedDiffSteps(compared, pace));
    return { diff, pieces: () => inPieces(mark, ...contents) };
  }

  /** A large blob is read and checked in pieces: its hash alone takes ten milliseconds. */
  async #readAll(file: File): Promise<Uint8Array<ArrayBuffer>> {
    if (file.size <= LARGE_BYTES) return this.parts.blobs.readAll(file);
    const bytes = new Uint8Array(file.size);
    let at = 0;
    for await (const piece of this.parts.blobs.pieces(file, PIECE_BYTES)) {
      bytes.set(piece, at);
      at += piece.length;
      await nextTurn();
    }
    return bytes;
  }

  async #appending(file: File, content: Blob, index: LineIndex, text: string): Promise<Plan> {
    const [added, pace] = [Buffer.from(text), new Pace()];
    const appended = await inTurns(encodeSteps(added, index.encoding, pace));
    const end = await endOf(content, index);
    const now = Buffer.concat([end.text, added]);
    const [oldStart, newEnd] = [end.text.length, now.length];
    const changes = [{ oldStart, oldEnd: oldStart, newStart: oldStart, newEnd }];
    const { text: original, firstLine } = end;
    const compared = { path: file.path, original, now, changes, firstLine };
    const diff = await inTurns(unifiedDiffSteps(compared, pace));
    return { diff, pieces: () => this.#withMore(file, appended) };
  }

  async *#withMore(file: File, appended: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    try {
      yield* this.parts.blobs.pieces(file);
    } catch (error) {
      // Remembers the damage, and names the file.
      await this.parts.damaged.readFor(file, () => Promise.reject(error));
    }
    yield* appended;
  }
}

/** What changes in a text that was empty. */
function wholly({ length }: Uint8Array) {
  return [{ oldStart: 0, oldEnd: 0, newStart: 0, newEnd: length }];
}

/** Does a work anew while somebody replaces the file under it. Throws CONFLICT where that goes on and on. */
async function inAttempts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ReplacedMeanwhile)) throw error;
    }
  }
  throw new CofferError(
    "CONFLICT",
    "The file was replaced again and again while it was edited. Nothing was changed; try again.",
  );
}

function isAppending(edits: readonly Edit[]): edits is readonly (Edit & { readonly op: "append" })[] {
  return edits.every(({ op }) => op === "append");
}

async function inTurns<T>(work: Paced<T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

async function* inPieces(...contents: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const content of contents)
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      yield content.subarray(at, at + PIECE_BYTES);
      await nextTurn();
    }
}

/** The last lines of a text, for a diff; none if they are too long to be shown. */
async function endOf(content: Blob, index: LineIndex): Promise<{ text: Buffer; firstLine: number }> {
  const firstLine = Math.max(1, index.totalLines - 2);
  const at = await startOfLine(content, index, firstLine);
  if (content.size - at > DIFF_BYTES) return { text: Buffer.alloc(0), firstLine: index.totalLines + 1 };
  return { text: asUtf8(await content.slice(at).bytes(), index.encoding), firstLine };
}
