import copyIcon from "lucide-static/icons/copy.svg" with { type: "text" };
import versionsIcon from "lucide-static/icons/history.svg" with { type: "text" };
import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import moveIcon from "lucide-static/icons/folder-input.svg" with { type: "text" };
import infoIcon from "lucide-static/icons/info.svg" with { type: "text" };
import shareIcon from "lucide-static/icons/share-2.svg" with { type: "text" };
import renameIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import deleteIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import type { PageAction } from "../../../components/actions.ts";
import { downloadAddress, type Entry } from "../../../lib/files.ts";
import { archiveAddress } from "../../../lib/files/archive.ts";
import type { FolderStore, OpenDialog } from "../store/folder.ts";
import { t } from "../../../lib/words/text.ts";

/** Something that can be done with files and folders. */
export interface EntryAction {
  readonly name: string;
  readonly svg: string;
  /** Whether it is there for a single file or folder only. */
  readonly isForOne?: boolean;
  /** Whether it takes something away, and stands apart in menus. */
  readonly isApart?: boolean;
  /** The address to download, or the dialog to open. */
  readonly leadsTo: string | OpenDialog;
}

/** A button of the toolbar, or an item of a menu. */
export interface FolderTool extends PageAction {
  /** Whether its icon alone says it where not all words have room. */
  readonly isKnownByIcon?: boolean;
  readonly isForOne?: boolean;
}

/** What can be done with these, in the order shown everywhere. */
export function entryActions(folder: FolderStore, entries: readonly Entry[]): EntryAction[] {
  const [entry] = entries;
  if (entry === undefined) return [];
  const actions: EntryAction[] = [
    { name: t("Download"), svg: downloadIcon, leadsTo: download(folder.drive, entries) },
    ...(entries.length === 1 ? actionsForOne(entry) : []),
    { name: t("Move"), svg: moveIcon, leadsTo: { kind: "transfer", how: "move", entries } },
    { name: t("Copy"), svg: copyIcon, leadsTo: { kind: "transfer", how: "copy", entries } },
    { name: t("Delete"), svg: deleteIcon, isApart: true, leadsTo: { kind: "delete", entries } },
  ];
  return actions.filter(({ leadsTo }) => typeof leadsTo === "string" || folder.allows(leadsTo));
}

/** The same, as buttons and the items of menus do it. */
export function entryTools(folder: FolderStore, entries: readonly Entry[]): FolderTool[] {
  return entryActions(folder, entries).map(({ leadsTo, ...action }) =>
    typeof leadsTo === "string"
      ? { ...action, href: leadsTo, download: true }
      : { ...action, onChoose: () => folder.ask(leadsTo) },
  );
}

function actionsForOne(entry: Entry): EntryAction[] {
  const share: EntryAction = {
    name: t("Share"),
    svg: shareIcon,
    isForOne: true,
    leadsTo: { kind: "share", entry },
  };
  const both: EntryAction[] = [
    { name: t("Details"), svg: infoIcon, isForOne: true, leadsTo: { kind: "details", entry } },
    { name: t("Rename"), svg: renameIcon, isForOne: true, leadsTo: { kind: "rename", entry } },
  ];
  if (entry.kind === "folder") return [share, ...both];
  return [
    share,
    {
      name: t("Versions"),
      svg: versionsIcon,
      isForOne: true,
      leadsTo: { kind: "versions", file: entry.file },
    },
    ...both,
  ];
}

function download(driveId: string, entries: readonly Entry[]): string | OpenDialog {
  const [entry] = entries;
  if (entry?.kind === "file" && entries.length === 1) return downloadAddress(entry.file.id);
  const paths = entries.map(({ path }) => path);
  return archiveAddress(driveId, paths) ?? { kind: "download-folder", entries };
}
