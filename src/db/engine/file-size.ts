import { statSync } from "node:fs";

/** Bytes; 0 if there is no such file. */
export function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
