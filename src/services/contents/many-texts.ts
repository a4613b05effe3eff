import type { Caller } from "../../domain/accounts/caller.ts";
import { textOf } from "../../domain/contents/texts/text-encoding.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import { CofferError } from "../../domain/errors.ts";
import type { FileFacts, FileRef } from "../../domain/files/file.ts";
import { READ_MANY } from "../../domain/limits.ts";
import type { Files } from "../files/files.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { ReadText, Texts } from "./texts.ts";

/** Files as they are named by who wants to read them. */
export type NamedTexts =
  { readonly ids: readonly string[] } | { readonly drive: string; readonly paths: readonly string[] };

/** A file that was read: its text, or the first lines of it; or, if it is no text, all of its bytes. */
export type ReadFile = { readonly file: FileFacts } & (
  { readonly text: Pick<ReadText, "text" | "nextLine" | "nextByte"> } | { readonly bytes: Uint8Array }
);

export interface ReadTexts {
  readonly files: readonly ReadFile[];
  /** As they were named. */
  readonly failed: readonly { readonly name: string; readonly error: CofferError }[];
  /** For which there was no room. */
  readonly left: readonly string[];
}

const WHOLE = { nextLine: null, nextByte: null };

/** Less room than this is not filled with the start of another text. In bytes. */
const SCRAP = 256;
/** Each line that a file takes in an answer, beside its text. In bytes. */
const FRAME = 64;

/** Reads the texts of many files at once, as much as fits into one answer. */
export class ManyTexts extends Service<Pick<Parts, "access"> & { files: Files; texts: Texts }> {
  /** Counts as bandwidth. Throws NOT_FOUND for the drive of paths, DamagedFile. @param most bytes of text, as UTF-8 */
  async read(caller: Caller, named: NamedTexts, most: number): Promise<ReadTexts> {
    const wanted = this.#wanted(caller, named);
    const files: ReadFile[] = [];
    const failed: { name: string; error: CofferError }[] = [];
    let room = most;
    for (const [at, { name, ref }] of wanted.entries()) {
      if (room < SCRAP && room < most)
        return { files, failed, left: wanted.slice(at).map((each) => each.name) };
      try {
        const read = await this.#one(caller, ref, room);
        if (read === null) return { files, failed, left: wanted.slice(at).map((each) => each.name) };
        files.push(read);
        room -= FRAME + ("text" in read ? utf8Length(read.text.text) : (read.bytes.length / 3) * 4);
      } catch (error) {
        if (!(error instanceof CofferError)) throw error;
        failed.push({ name, error });
      }
    }
    return { files, failed, left: [] };
  }

  #wanted(caller: Caller, named: NamedTexts): { readonly name: string; readonly ref: FileRef }[] {
    if ("ids" in named) return [...new Set(named.ids)].map((id) => ({ name: id, ref: { id } }));
    const { id: drive } = this.parts.access.drive(caller, named.drive);
    return [...new Set(named.paths)].map((path) => ({ name: path, ref: { drive, path } }));
  }

  /** Null if there is no room for bytes that are no text. */
  async #one(caller: Caller, ref: FileRef, room: number): Promise<ReadFile | null> {
    const { files, texts } = this.parts;
    const file = files.get(caller, ref);
    if (file.size > READ_MANY.fileBytes) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `It has more than ${READ_MANY.fileBytes} bytes: read its lines alone, or download it.`,
      );
    }
    const whole = file.size <= room ? textOf(await files.contentWhole(caller, file), false) : null;
    // As it is, with all its line ends: so it can be changed and written back.
    if (whole !== null && utf8Length(whole) <= room) return { file, text: { text: whole, ...WHOLE } };
    try {
      const text = await texts.read(caller, ref, {
        startLine: 1,
        startByte: 0,
        endLine: null,
        maxBytes: room,
      });
      return { file: text.file, text };
    } catch (error) {
      if (!isNoText(error) || file.size > READ_MANY.otherBytes) throw error;
      if ((file.size / 3) * 4 > room) return null;
      return { file, bytes: await files.contentWhole(caller, file) };
    }
  }
}

function isNoText(error: unknown): boolean {
  return (
    error instanceof CofferError &&
    (error.code === "UNSUPPORTED_MEDIA_TYPE" || error.code === "EXTRACTION_FAILED")
  );
}
