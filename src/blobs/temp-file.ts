import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** A temporary file: it ends under its final name, or is deleted. */
export class TempFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #length = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Creates the file, with mode 0600; fails if the path exists. */
  static async create(path: string): Promise<TempFile> {
    return new TempFile(path, await open(path, "wx", 0o600));
  }

  /** Appends all of `bytes`, which must not change until this resolves. */
  async append(bytes: Uint8Array): Promise<void> {
    // One write may be partial: on a nearly full disk, or beyond 2 GiB.
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#length);
      if (bytesWritten === 0) throw new Error("the file system accepts no more bytes");
      done += bytesWritten;
      this.#length += bytesWritten;
    }
  }

  /**
   * Syncs the content, then renames the file, in this order: a power cut must not leave a name without its
   * content. The name is durable only after the caller has synced its directory. `length` is the expected
   * size in bytes.
   */
  async moveTo(path: string, length: number): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size !== length) throw new Error(`a temporary file holds ${size} bytes instead of ${length}`);
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#path, path);
  }

  /** Deletes the file. Harmless after a `moveTo`, even a failed one: the final name is not touched. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.#path, { force: true });
  }
}
