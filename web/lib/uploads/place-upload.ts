import { ApiError } from "../api.ts";
import { numberedPath } from "./names.ts";
import { isTaken, type PutOptions, putFile } from "./put-file.ts";
import type { Decision, Upload } from "./upload.ts";

/** Larger files are sent only once it is known that their place is free: the refusal comes after the content. */
const LOOK_FIRST_BYTES = 256 * 1024;
const MOST_NUMBER = 1000;

export interface PlaceOptions extends Pick<PutOptions, "signal" | "onProgress" | "onWait"> {
  /** What has been decided by now about a place that is taken; somebody may answer while a file is sent. */
  readonly decision: () => Decision | null;
}

/** How a file came to its place, and which that is. */
export type Placed = Pick<Upload, "path" | "sent"> & { readonly state: "done" | "asking" | "skipped" };

/**
 * Sends a file to its place; where that is taken, does what was decided.
 *
 * @throws ApiError for a refusal or no answer; AbortError when `signal` aborts
 */
export async function placeFile(upload: Upload, options: PlaceOptions): Promise<Placed> {
  const { path, file } = upload;
  const done = { state: "done", sent: file.size, path } as const;
  if (options.decision() !== "replace" && (await putNew(upload, path, options))) return done;
  const decision = options.decision();
  switch (decision) {
    case null:
      return { state: "asking", sent: 0, path };
    case "skip":
      return { state: "skipped", sent: 0, path };
    case "replace":
      await putFile({ ...options, driveId: upload.driveId, path, file, replace: true });
      return done;
    case "keep-both":
      return { ...done, path: await putBeside(upload, options) };
  }
}

/** Sends a file under the first numbered name that is free, and tells which that is. */
async function putBeside(upload: Upload, options: PlaceOptions): Promise<string> {
  for (let number = 2; number <= MOST_NUMBER; number += 1) {
    const path = numberedPath(upload.path, number);
    if (await putNew(upload, path, options)) return path;
  }
  throw new ApiError(0, "CONFLICT", "There are too many files of this name. Rename it, then upload it.");
}

/** False where the path is taken. */
async function putNew(
  { driveId, file, path: wanted }: Upload,
  path: string,
  options: PlaceOptions,
): Promise<boolean> {
  const looksFirst = file.size > LOOK_FIRST_BYTES || path !== wanted;
  if (looksFirst && (await isTaken(driveId, path, options.signal))) return false;
  try {
    await putFile({ ...options, driveId, path, file, replace: false });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return false;
    throw error;
  }
}
