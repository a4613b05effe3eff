import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** A file nobody else knows of yet, which ends either under its final name or nowhere. */
export class TempFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #length = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Makes the file, readable by this user alone; fails if the path is taken. */
  static async create(path: string): Promise<TempFile> {
    return new TempFile(path, await open(path, "wx", 0o600));
  }

  /** Appends all of `bytes`, which must stay as they are until this resolves. */
  async append(bytes: Uint8Array): Promise<void> {
    // One write may take only a part: on a disk that is nearly full, or beyond 2 GiB.
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#length);
      if (bytesWritten === 0) throw new Error("the file system accepts no more bytes");
      done += bytesWritten;
      this.#length += bytesWritten;
    }
  }

  /**
   * Makes the content durable, then gives it its name, in this order: a name must never be seen
   * with content that a power cut could still take. The name is durable only once its directory is
   * synced, which is the caller's to do. `length` is what the file has to hold, in bytes.
   */
  async moveTo(path: string, length: number): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size !== length) throw new Error(`a temporary file holds ${size} bytes instead of ${length}`);
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#path, path);
  }

  /** Removes the file. Harmless after a `moveTo`, whole or failed: the final name is not touched. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.#path, { force: true });
  }
}
