import type { Entry } from "../../../lib/files.ts";
import type { Drive, FileRecord } from "../../../lib/types.ts";
import { DeleteDialog } from "./delete.tsx";
import { DetailsDialog } from "./details.tsx";
import { DownloadDialog } from "./download.tsx";
import { LinkDialog } from "./link.tsx";
import { NewFolderDialog, RenameDialog } from "./naming.tsx";
import { TransferDialog } from "./transfer.tsx";

/** The dialog that is open above a folder. */
export type OpenDialog =
  | { readonly kind: "new-folder" }
  | { readonly kind: "rename"; readonly entry: Entry }
  | { readonly kind: "transfer"; readonly how: "move" | "copy"; readonly entries: readonly Entry[] }
  | { readonly kind: "delete"; readonly entries: readonly Entry[] }
  | { readonly kind: "details"; readonly entry: Entry }
  | { readonly kind: "download-folder"; readonly entries: readonly Entry[] }
  | { readonly kind: "link"; readonly file: FileRecord };

interface FolderDialogsProps {
  readonly open: OpenDialog;
  readonly drive: Drive;
  readonly folder: string;
  /** The folder changed; with how, in words, and the key of the entry to go on with, if it is another. */
  readonly onDone: (message: string, key?: string) => void;
  /** Some of what was asked for may be done, and that is all; or the folder is not what it was. */
  readonly onUncertain: () => void;
  readonly onClose: () => void;
}

export function FolderDialogs({ open, drive, folder, onDone, onUncertain, onClose }: FolderDialogsProps) {
  const ends = { onDone, onUncertain, onClose };
  switch (open.kind) {
    case "new-folder":
      return <NewFolderDialog driveId={drive.id} folder={folder} {...ends} />;
    case "rename":
      return <RenameDialog driveId={drive.id} entry={open.entry} {...ends} />;
    case "transfer":
      return <TransferDialog drive={drive} folder={folder} how={open.how} entries={open.entries} {...ends} />;
    case "delete":
      return <DeleteDialog driveId={drive.id} entries={open.entries} {...ends} />;
    case "details":
      return <DetailsDialog entry={open.entry} {...ends} />;
    case "download-folder":
      return <DownloadDialog drive={drive} folder={folder} entries={open.entries} onClose={onClose} />;
    case "link":
      return <LinkDialog file={open.file} onUncertain={onUncertain} onClose={onClose} />;
  }
}
