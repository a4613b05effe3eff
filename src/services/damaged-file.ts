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

/**
 * Reads something for a file, at once if `read` does. If the content is damaged, the error names the file.
 *
 * @throws DamagedFile
 */
export function readFor<T>(place: FilePlace, read: () => T | Promise<T>): T | Promise<T> {
  const named = (error: unknown) => (error instanceof DamagedContent ? new DamagedFile(place, error) : error);
  try {
    const found = read();
    if (!(found instanceof Promise)) return found;
    return found.catch((error: unknown) => {
      throw named(error);
    });
  } catch (error) {
    throw named(error);
  }
}
