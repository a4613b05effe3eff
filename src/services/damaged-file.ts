import { DamagedContent } from "../blobs/content-file.ts";
import type { DriveId } from "../domain/id.ts";

/** The file that a content was read for. */
export interface FilePlace {
  readonly driveId: DriveId;
  readonly path: string;
}

/** A file's content is missing or damaged. The message is for the log: it names the file and the damage. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile";

  constructor({ driveId, path }: FilePlace, cause: DamagedContent) {
    super(`the content of "${path}" in drive ${driveId} is damaged: ${cause.message}`, { cause });
  }
}

/** Awaits a read for a file. If the content is damaged, the error names the file. */
export async function readFor<T>(place: FilePlace, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    throw error instanceof DamagedContent ? new DamagedFile(place, error) : error;
  }
}
