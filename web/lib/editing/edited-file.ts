import { batch, signal } from "@preact/signals-core";
import { ApiError } from "../api/api.ts";
import type { FileRecord } from "../api/types.ts";
import { getFile } from "../files.ts";
import { type StoredText, TextWriter } from "./stored.ts";

/** The file that a text is of, as far as is known. */
export class EditedFile {
  /** The drive's id. */
  readonly drive: string;
  /** Null until it is made. */
  readonly record;
  /** Whether it was deleted since: its place may be free. */
  readonly isGone = signal(false);
  readonly #path: string;
  readonly #writer = new TextWriter();

  /** @param path where it is to be made, if there is none */
  constructor(drive: string, path: string, record: FileRecord | null) {
    this.drive = drive;
    this.#path = path;
    this.record = signal(record);
  }

  get path(): string {
    return this.record.peek()?.path ?? this.#path;
  }

  /** Whether the next that is written makes a file. */
  get isUnmade(): boolean {
    return this.record.value === null || this.isGone.value;
  }

  /** Asks for its record; null where it is gone, or was never made. */
  async look(): Promise<FileRecord | null> {
    const record = this.record.peek();
    if (record === null) return null;
    try {
      return this.#is(await getFile(record.id));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      this.isGone.value = true;
      return null;
    }
  }

  /**
   * Writes a text over the content of its ETag, or makes a file of it, which this is from then on; see `TextWriter`.
   *
   * @throws ApiError with status 412 where something else stands there
   */
  async write(text: StoredText, path = this.path): Promise<FileRecord> {
    return this.#is(await this.#writer.write({ drive: this.drive, path }, text));
  }

  #is(record: FileRecord): FileRecord {
    batch(() => {
      this.record.value = record;
      this.isGone.value = false;
    });
    return record;
  }
}
