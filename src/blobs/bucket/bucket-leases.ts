import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "../../domain/contents/content.ts";
import { type BlobLeases, type LeasedBlobs, UnavailableBlob } from "../blob-place.ts";
import type { DiskSpace } from "../disk-space.ts";
import { ifPresent } from "../system-error.ts";
import { keepDirectory, newTempPath } from "../temp-file.ts";
import type { BucketAccess } from "./bucket-access.ts";
import { isLeaseId, type LeaseId, LEASES, leaseOfName, nameOfLease } from "./bucket-names.ts";
import { explainedBody } from "./explained-body.ts";
import { LeaseList } from "./lease-list.ts";
import { writeBody } from "./write-body.ts";

interface BucketLeasesParts {
  readonly access: BucketAccess;
  /** For copies of lists, and nothing else. */
  readonly directory: string;
  /** For temporary files, on the same file system. */
  readonly tmpDir: string;
  readonly space: DiskSpace;
}

/**
 * The leases in a bucket: each is the list of the blobs that a backup needs and has no copy of. They are in the bucket
 * so that a store that was restored finds them too. The copies of the lists that are kept here say what only a lease
 * kept that is gone now.
 */
export class BucketLeases implements BlobLeases {
  readonly #parts: BucketLeasesParts;
  readonly #lists = new Map<LeaseId, Promise<LeaseList>>();
  /** Those that are gone, and whose copies are still here. */
  readonly #gone = new Set<LeaseId>();
  /** Ends with the last question which leases there are; never rejects. */
  #asked: Promise<unknown> = Promise.resolve();
  #next: Promise<LeaseId[]> | null = null;

  constructor(parts: BucketLeasesParts) {
    this.#parts = parts;
  }

  /** What is leased now. Throws UnavailableBlob. Its `has` also throws Error if a list is damaged. */
  async current(): Promise<LeasedBlobs> {
    const ids = await this.#ids();
    return {
      has: async (digest) => {
        for (const id of ids) if (await (await this.#listOf(id)).has(digest)) return true;
        return false;
      },
    };
  }

  /** Throws UnavailableBlob. */
  async *unleased(): AsyncGenerator<Digest> {
    const kept = await this.#kept();
    if (kept.length === 0) return;
    await this.#ids();
    for (const id of kept) {
      if (!this.#gone.has(id)) continue;
      const list = await LeaseList.open(this.#pathOf(id));
      if (list !== null) yield* list.digests();
      await rm(this.#pathOf(id), { force: true });
      this.#lists.delete(id);
      this.#gone.delete(id);
    }
  }

  /** The leases that are there after this was called. Those who ask meanwhile share the next answer. */
  #ids(): Promise<LeaseId[]> {
    this.#next ??= this.#asked.then(() => {
      this.#next = null;
      const ids = this.#ask();
      this.#asked = ids.catch(() => {});
      return ids;
    });
    return this.#next;
  }

  async #ask(): Promise<LeaseId[]> {
    const { access } = this.#parts;
    const ids = await access.use(async (bucket) => {
      const listed: LeaseId[] = [];
      for await (const { name } of bucket.list(LEASES)) {
        const id = leaseOfName(name);
        if (id !== null) listed.push(id);
      }
      return listed;
    });
    for (const id of await this.#kept()) {
      if (ids.includes(id) || this.#gone.has(id)) continue;
      // A list may lack what is there.
      if ((await access.use((bucket) => bucket.head(nameOfLease(id)))) === null) this.#gone.add(id);
      else ids.push(id);
    }
    return ids;
  }

  /** Those whose lists were copied here. */
  async #kept(): Promise<LeaseId[]> {
    return ((await ifPresent(readdir(this.#parts.directory))) ?? []).filter(isLeaseId);
  }

  #listOf(id: LeaseId): Promise<LeaseList> {
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    const list = this.#open(id);
    this.#lists.set(id, list);
    list.catch(() => this.#lists.delete(id));
    return list;
  }

  async #open(id: LeaseId): Promise<LeaseList> {
    const path = this.#pathOf(id);
    const copy = await LeaseList.open(path);
    if (copy !== null) return copy;
    const { access, directory, tmpDir, space } = this.#parts;
    const found = await access.use((bucket) => bucket.get(nameOfLease(id)));
    // It was removed meanwhile: who asks again is told so.
    if (found === null) throw new UnavailableBlob();
    keepDirectory(tmpDir);
    const draft = newTempPath(tmpDir);
    try {
      await writeBody(draft, explainedBody(found.body), space);
      if ((await LeaseList.open(draft)) === null) throw damaged(access.name, id);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    const list = await LeaseList.open(path);
    if (list === null) throw damaged(access.name, id);
    return list;
  }

  #pathOf(id: LeaseId): string {
    return join(this.#parts.directory, id);
  }
}

function damaged(bucket: string, id: LeaseId): Error {
  return new Error(
    `${bucket}/${nameOfLease(id)} is damaged, so no content is removed. It lists what the backup ${id} needs: ` +
      "remove that backup, then this object.",
  );
}
