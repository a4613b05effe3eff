import { ApiError } from "../api.ts";
import { createFolder } from "../files.ts";
import { numberedPath } from "./names.ts";
import { isTaken, type PutOptions, putFile } from "./put-file.ts";
import type { Decision, Upload } from "./upload.ts";

/** Larger files are sent only once it is known that their place is free: the refusal comes after the content. */
const LOOK_FIRST_BYTES = 256 * 1024;
const MOST_NUMBER = 1000;

/** What a file is sent with, and what has been decided about its place. */
export interface PlaceOptions extends Pick<PutOptions, "signal" | "onProgress" | "onWait"> {
  /** What has been decided by now about a place that is taken; somebody may answer while a file is sent. */
  readonly decision: () => Decision | null;
}

/** How an upload came to its place, and which that is. */
export type Placed = Pick<Upload, "path" | "sent"> & { readonly state: "done" | "asking" | "skipped" };

/**
 * Makes a folder, or sends a file to its place; where that is taken, does what was decided.
 *
 * @throws ApiError for a refusal or no answer; AbortError when `signal` aborts
 */
export async function placeUpload(upload: Upload, options: PlaceOptions): Promise<Placed> {
  const { driveId, path, file } = upload;
  if (file !== null) return placeFile({ driveId, path, file }, options);
  await createFolder(driveId, path);
  return { state: "done", sent: 0, path };
}

type Target = Pick<PutOptions, "driveId" | "path" | "file">;

async function placeFile(target: Target, options: PlaceOptions): Promise<Placed> {
  const { path, file } = target;
  const done = { state: "done", sent: file.size, path } as const;
  const isFree = options.decision() !== "replace" && (await putNew(target, options));
  if (isFree) return done;
  const decision = options.decision();
  switch (decision) {
    case null:
      return { state: "asking", sent: 0, path };
    case "skip":
      return { state: "skipped", sent: 0, path };
    case "replace":
      await putFile({ ...options, ...target, replace: true });
      return done;
    case "keep-both":
      return { ...done, path: await putBeside(target, options) };
  }
}

/** Sends a file under the first numbered name that is free, and tells which that is. */
async function putBeside(target: Target, options: PlaceOptions): Promise<string> {
  for (let number = 2; number <= MOST_NUMBER; number += 1) {
    const path = numberedPath(target.path, number);
    if (await putNew({ ...target, path }, options, true)) return path;
  }
  throw new ApiError(0, "CONFLICT", "Too many files have this name. Rename it, then upload it again.");
}

/** False where the path is taken. `looksFirst`, where that is likely, or learning it late would cost much. */
async function putNew(
  target: Target,
  options: PlaceOptions,
  looksFirst = target.file.size > LOOK_FIRST_BYTES,
): Promise<boolean> {
  if (looksFirst && (await isTaken(target.driveId, target.path, options.signal))) return false;
  try {
    await putFile({ ...options, ...target, replace: false });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return false;
    throw error;
  }
}
