import { nameOf } from "../../lib/files.ts";
import type { ManagedLink } from "../../lib/api/types.ts";

/** What a link is for, by its kind. */
export const KINDS: Readonly<Record<ManagedLink["kind"], string>> = {
  file: "Shows a file",
  folder: "Shows a folder",
  presigned: "Downloads a file",
  upload: "Takes one upload",
};

/** What a link leads to, as people call it. */
export function nameOfLink({ path }: ManagedLink): string {
  if (path === null) return "a file that is gone";
  return path === "" ? "the whole drive" : nameOf(path);
}
