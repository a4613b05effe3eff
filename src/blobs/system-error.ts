import { CofferError } from "../domain/errors.ts";

/** The error for a disk that is full, at its reserve, or over its file system quota. */
export function storageFull(): CofferError {
  return new CofferError(
    "STORAGE_FULL",
    "The server has no storage space left. Delete files, or ask its administrator to make room.",
  );
}

/** The error to throw for a failed system call: STORAGE_FULL when the disk had no room, else itself. */
export function asRefusal(error: unknown): unknown {
  return hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT") ? storageFull() : error;
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** The result of a system call; null if there is nothing, or no directory, at its path. */
export async function ifPresent<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

/** Whether an error is from a system call: its message says what failed, but not what to do. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}
