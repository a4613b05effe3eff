import { nameOf } from "../../lib/files.ts";
import type { ManagedLink } from "../../lib/api/types.ts";
import { mark, t } from "../../lib/words/text.ts";

const KINDS = {
  file: mark("Shows a file"),
  folder: mark("Shows a folder"),
  presigned: mark("Downloads a file"),
  upload: mark("Takes one upload"),
} as const satisfies Readonly<Record<ManagedLink["kind"], string>>;

/** The same for a link that works once. */
const ONCE = {
  file: mark("Shows a file, once"),
  folder: mark("Shows a folder, once"),
  presigned: mark("Downloads a file, once"),
  upload: mark("Takes one upload, once"),
} as const satisfies Readonly<Record<ManagedLink["kind"], string>>;

/** What a link is for. */
export function whatOf({ kind, one_time: isOnce }: ManagedLink): string {
  return t(isOnce ? ONCE[kind] : KINDS[kind]);
}

/** What a link leads to, as people call it. */
export function nameOfLink({ path }: ManagedLink): string {
  if (path === null) return t("a file that is gone");
  return path === "" ? t("the whole drive") : nameOf(path);
}
