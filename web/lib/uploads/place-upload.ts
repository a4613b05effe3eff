import { ApiError } from "../api/api.ts";
import { createFolder, type Entry, fileEntry, folderEntry } from "../files.ts";
import { numberedPath } from "./names.ts";
import { isTaken, type PutOptions, type PutResult, putFile } from "./put-file.ts";
import type { Decision } from "../files/taken.ts";
import type { Upload } from "./upload.ts";
import { t } from "../words/text.ts";

/** Larger files are sent only once it is known that their place is free: the refusal comes after the content. */
const LOOK_FIRST_BYTES = 256 * 1024;
const MOST_NUMBER = 1000;

/** What a file is sent with, and what has been decided about its place. */
export interface PlaceOptions extends Pick<PutOptions, "signal" | "onProgress" | "onWait"> {
  /** What has been decided by now about a place that is taken; somebody may answer while a file is sent. */
  readonly decision: () => Decision | null;
}

/** What became of an upload: stored, and as what, or not stored for now. */
export type Placed =
  | { readonly state: "done"; readonly stored: Entry; readonly isReplacement: boolean }
  | { readonly state: "asking" | "skipped" };

/**
 * Makes a folder, or sends a file to its place; where that is taken, does what was decided.
 *
 * @throws ApiError for a refusal or no answer; AbortError when `signal` aborts
 */
export async function placeUpload(upload: Upload, options: PlaceOptions): Promise<Placed> {
  const { driveId, path, file } = upload;
  if (file !== null) return placeFile({ driveId, path, file }, options);
  const folder = await createFolder(driveId, path);
  return { state: "done", stored: folderEntry(folder), isReplacement: false };
}

type Target = Pick<PutOptions, "driveId" | "path" | "file">;

async function placeFile(target: Target, options: PlaceOptions): Promise<Placed> {
  const isReplacing = options.decision() === "replace";
  const isNew = isReplacing ? null : await putNew(target, options);
  if (isNew !== null) return done(isNew);
  const decision = options.decision();
  switch (decision) {
    case null:
      return { state: "asking" };
    case "skip":
      return { state: "skipped" };
    case "replace":
      return done(await putFile({ ...options, ...target, replace: true }));
    case "keep_both":
      return done(await putBeside(target, options));
  }
}

function done({ file, isReplacement }: PutResult): Placed {
  return { state: "done", stored: fileEntry(file), isReplacement };
}

/** Sends a file under the first numbered name that is free. */
async function putBeside(target: Target, options: PlaceOptions): Promise<PutResult> {
  for (let number = 2; number <= MOST_NUMBER; number += 1) {
    const path = numberedPath(target.path, number);
    const file = await putNew({ ...target, path }, options, true);
    if (file !== null) return file;
  }
  throw new ApiError(0, "CONFLICT", t("Too many files have this name. Rename it, then upload it again."));
}

/** Null where the path is taken. `looksFirst`, where that is likely, or learning it late would cost much. */
async function putNew(
  target: Target,
  options: PlaceOptions,
  looksFirst = target.file.size > LOOK_FIRST_BYTES,
): Promise<PutResult | null> {
  if (looksFirst && (await isTaken(target.driveId, target.path, options.signal))) return null;
  try {
    return await putFile({ ...options, ...target, replace: false });
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return null;
    throw error;
  }
}
