import type { By, Change, FileRecord } from "./api/types.ts";
import { rich, t } from "./words/text.ts";

/** What has become, by now, of what a change was about. */
export type Fate =
  | { readonly kind: "there"; readonly path: string }
  /** The change that took it away; it may be the one itself. */
  | { readonly kind: "gone"; readonly by: Change };

/**
 * What became of the file or folder of each change, by the change's id, as far as changes tell.
 *
 * @param changes of one drive, the newest first; of what is left out among them nothing is known
 */
export function fatesOf(changes: readonly Change[]): ReadonlyMap<string, Fate> {
  const fates = new Map<string, Fate>();
  const files = new Map<string, Fate>();
  /** Those of folders that came after the change that is looked at, the newest first. */
  const later: Change[] = [];
  for (const change of changes) {
    const { id, type, file_id: file } = change;
    const fate = (file === null ? undefined : files.get(file)) ?? followed(change, later);
    fates.set(id, fate);
    if (file !== null) files.set(file, fate);
    if (type.startsWith("folder.")) later.push(change);
  }
  return fates;
}

/** Where the path of a change has led to since, by the changes of folders that came after it. */
function followed(change: Change, later: readonly Change[]): Fate {
  let { path } = change;
  let taken: { readonly by: Change; readonly below: string } | null = /^(?:file|folder)\.deleted$/.test(
    change.type,
  )
    ? { by: change, below: "" }
    : null;
  for (const each of later.toReversed()) {
    const { type, path: at, previous_path: from, ref } = each;
    if (taken !== null) {
      if (type !== "folder.restored" || ref === null || ref !== taken.by.ref) continue;
      path = at + taken.below;
      taken = null;
    } else if (type === "folder.deleted" && path.startsWith(at)) {
      taken = { by: each, below: path.slice(at.length) };
    } else if (type === "folder.moved" && from !== null && path.startsWith(from)) {
      path = at + path.slice(from.length);
    }
  }
  return taken === null ? { kind: "there", path } : { kind: "gone", by: taken.by };
}

/**
 * What became of something, where that is not what the change itself says; null where it is.
 *
 * @param show what is shown for the path where it is now
 */
export function fateInWords<Shown>(
  { id, type, path }: Change,
  fate: Fate,
  show: (path: string) => Shown,
): (Shown | string)[] | null {
  if (fate.kind === "there") {
    if (fate.path !== path) return rich("now at {path}", { path: show(fate.path) });
    return type.endsWith(".deleted") ? [t("put back since")] : null;
  }
  if (fate.by.id === id) return null;
  return [fate.by.ref === null ? t("deleted or moved away since") : t("deleted since")];
}

/** What others did to a file while it is shown. */
export type Happening =
  | {
      readonly kind: "deleted";
      readonly by: By;
      /** Its entry in the trash, or its folder's; null where it is not there. */
      readonly trashId: string | null;
      /** The folder that was deleted with it; null if it alone was. */
      readonly folder: string | null;
    }
  | { readonly kind: "replaced"; readonly by: By };

/** Changes that may be of any file. */
const OF_MANY = /^(?:folder|drive)\./;

/**
 * What a change means for a file that is shown: something to tell first, or `reload`; null where it means nothing.
 *
 * @param before what happened to it before
 * @param me the id of whoever looks: what they do themselves is no news
 */
export function happeningTo(
  file: FileRecord,
  change: Change,
  before: Happening | null,
  me: string,
): Happening | "reload" | null {
  const { type, file_id: id, path, after, by, ref: trashId } = change;
  const isOfIt = id === file.id && type.startsWith("file.");
  if (isOfIt && type === "file.deleted") return { kind: "deleted", by, trashId, folder: null };
  if (type === "folder.deleted" && file.path.startsWith(path)) {
    return { kind: "deleted", by, trashId, folder: path };
  }
  if (before?.kind === "deleted") {
    return isOfIt || type === "folder.restored" || type === "drive.restored" ? "reload" : null;
  }
  if (!isOfIt && !OF_MANY.test(type)) return null;
  const isOwn = by?.type === "user" && by.id === me;
  const isReplaced = isOfIt && type === "file.updated" && after?.content_hash !== file.content_hash;
  return isReplaced && !isOwn ? { kind: "replaced", by } : "reload";
}
