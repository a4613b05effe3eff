import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifPresent } from "../blobs/system-error.ts";
import { type DataDirectory, makeDurably, sync } from "./data-directory.ts";
import { explained, explaining } from "./data-directory-error.ts";

/**
 * The files that are kept of one certificate authority, for their owner alone. Each has a folder: what one has issued is
 * of no use to another. They are in no backup: a server that was restored elsewhere has a certificate issued anew.
 */
export class AcmeFiles {
  readonly #root: string;

  /** @param authority the URL of its directory */
  constructor({ acme }: Pick<DataDirectory, "acme">, authority: string) {
    const { host, pathname } = new URL(authority);
    this.#root = join(acme, `${host}${pathname}`.replaceAll(/[^\w.-]+/g, "-"));
  }

  /** @param name of a file, without a path */
  pathOf(name: string): string {
    return join(this.#root, name);
  }

  /** What a file holds; null if there is none. Rejects with DataDirectoryError. */
  read(name: string): Promise<string | null> {
    return explaining(this.#root, ifPresent(readFile(this.pathOf(name), "utf8")));
  }

  /** Writes a file whole, or leaves the former. It is on the disk then. Rejects with DataDirectoryError. */
  async write(name: string, text: string): Promise<void> {
    const draft = await this.draft(name, text);
    await explaining(this.#root, rename(draft, this.pathOf(name)));
    sync(this.#root);
  }

  /** Writes what may become a file, beside it; its path. Rejects with DataDirectoryError. */
  async draft(name: string, text: string): Promise<string> {
    const path = `${this.pathOf(name)}.new`;
    try {
      makeDurably(this.#root);
      await writeFile(path, text, { mode: 0o600 });
      sync(path);
      return path;
    } catch (error) {
      throw explained(this.#root, error);
    }
  }
}
