import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** A temporary file that is read while it is written. It is closed once its last user has released it. */
export class Spool {
  readonly #path: string;
  readonly #handle: FileHandle;
  #length = 0;
  /** Who made it is the first. */
  #users = 1;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Creates the file, with mode 0600; fails if the path exists. */
  static async create(path: string): Promise<Spool> {
    return new Spool(path, await open(path, "wx+", 0o600));
  }

  /** Appends all of `bytes`, which must not change until this resolves. One call at a time. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(
        bytes,
        done,
        bytes.length - done,
        this.#length + done,
      );
      if (bytesWritten === 0) throw new Error("the file system accepts no more bytes");
      done += bytesWritten;
    }
    this.#length += bytes.length;
  }

  /** Bytes from `offset` on, one at least and `most` at most. Throws where the file was cut short. */
  async read(offset: number, most: number): Promise<Uint8Array<ArrayBuffer>> {
    const piece = new Uint8Array(most);
    const { bytesRead } = await this.#handle.read(piece, 0, most, offset);
    if (bytesRead === 0) throw new Error("a temporary file was cut short while it was read");
    return piece.subarray(0, bytesRead);
  }

  /** Gives the file its name. It can still be read. @param time of its last use, in seconds since the epoch */
  async moveTo(path: string, time: number): Promise<void> {
    await this.#handle.utimes(time, time);
    await rename(this.#path, path);
  }

  /** Removes the file, unless it has its name. It can still be read. */
  remove(): Promise<void> {
    return rm(this.#path, { force: true });
  }

  use(): void {
    this.#users += 1;
  }

  /** Ends one use, none of whose calls is running. The last one closes the file. */
  release(): void {
    this.#users -= 1;
    // What a failed close could lose has no name, or can be fetched again.
    if (this.#users === 0) this.#handle.close().catch(() => {});
  }
}
