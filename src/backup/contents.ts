import { type FileHandle, open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BlobFacts, type DamagedBlob, damageIn, requireBytes } from "../blobs/blob-file.ts";
import type { Snapshot } from "../db/upkeep/database-copy.ts";
import { parseDigest } from "../domain/contents/content.ts";
import { BackupError } from "./place.ts";

/** Characters that are written at once. */
const PIECE = 64 * 1024;
/** How many contents are copied at once. */
export const AT_ONCE = 8;
/** How many contents are checked in one turn of the event loop. */
const A_TURN = 100;

/** How many contents are in a list, and their bytes. */
export interface ListFigures {
  readonly count: number;
  readonly bytes: number;
}

/** A list of contents that is being written: a line for each, its digest and its size. */
export class ContentList implements AsyncDisposable {
  readonly #file: FileHandle;
  #count = 0;
  #bytes = 0;
  #text = "";

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates the file; fails if it exists. */
  static async create(path: string): Promise<ContentList> {
    return new ContentList(await open(path, "wx", 0o600));
  }

  async add({ digest, size }: BlobFacts): Promise<void> {
    this.#count += 1;
    this.#bytes += size;
    this.#text += `${digest} ${size}\n`;
    if (this.#text.length >= PIECE) await this.#write();
  }

  async end(): Promise<ListFigures> {
    await this.#write();
    return { count: this.#count, bytes: this.#bytes };
  }

  async #write(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    await this.#file.appendFile(text);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close();
  }
}

/** A list of contents is not as it was written. */
export class DamagedList extends BackupError {}

/** Reads a list of contents. Throws DamagedList for a line that is none. */
export async function* readContentList(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BlobFacts> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield contentOf(line);
  }
  if (rest !== "") throw new DamagedList("A backup's list of contents is cut off.");
}

function contentOf(line: string): BlobFacts {
  const digest = parseDigest(line.slice(0, 64));
  const size = /^ (\d{1,15})$/.exec(line.slice(64))?.[1];
  if (digest === null || size === undefined) throw new DamagedList("A backup's list of contents is damaged.");
  return { digest, size: Number(size) };
}

/** Checks every byte of the contents that are in a copy of the database. Yields those that are damaged. */
export async function* damagedSmallContents(
  snapshot: Snapshot,
): AsyncGenerator<BlobFacts & { readonly damage: DamagedBlob }> {
  let checked = 0;
  for (const { digest, size, bytes } of snapshot.smallContents()) {
    const content = { digest, size };
    const damage = await damageIn(() => requireBytes(`content ${digest} in the database`, bytes, content));
    if (damage !== null) yield { ...content, damage };
    checked += 1;
    if (checked % A_TURN === 0) await nextTurn();
  }
}
