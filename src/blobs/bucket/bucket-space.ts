import type { BlobSpace } from "../blob-place.ts";
import { DiskSpace } from "../disk-space.ts";

/** The room on the disk that uploads pass by. What the bucket takes has no limit that is known here. */
export class BucketSpace implements BlobSpace {
  readonly isFreedByRemoval = false;
  /** Of the directory of temporary files. */
  readonly disk: DiskSpace;
  readonly #reserve: number;

  /** @param reserve bytes to leave free */
  constructor(tmpDir: string, reserve: number) {
    this.disk = new DiskSpace(tmpDir, reserve);
    this.#reserve = reserve;
  }

  freeBytes(): Promise<number> {
    return this.disk.freeBytes();
  }

  async figures() {
    return { ...(await this.disk.figures()), reserve: this.#reserve };
  }

  hasSpace(): Promise<boolean> {
    return this.disk.hasSpace();
  }

  shortage(): Promise<number> {
    return this.disk.shortage();
  }

  requireFree(): void {
    this.disk.requireFree();
  }

  takeNoSpace(): boolean {
    return this.disk.takeNoSpace();
  }
}
