import { later } from "../../../components/later.tsx";
import { say } from "../../../components/toast.tsx";
import type { Done } from "../../../lib/files/steps.ts";
import type { Drive } from "../../../lib/api/types.ts";
import type { DriveStore } from "../store/drive.ts";
import type { FolderStore, OpenDialog } from "../store/folder.ts";
import { takeBack } from "../store/undo.ts";
import { DeleteDialog } from "./delete.tsx";
import { DetailsDialog } from "./details.tsx";
import { DownloadDialog } from "./download.tsx";
import { NewFolderDialog, RenameDialog } from "./naming.tsx";
import { ShareDialog } from "./share.tsx";
import { TransferDialog } from "./transfer.tsx";

// What is seldom asked for.
const NewFile = later(async () => (await import("../editor/new-file.tsx")).NewFile, null);
const VersionsDialog = later(async () => (await import("./versions.tsx")).VersionsDialog, null);

interface FolderDialogsProps {
  readonly open: OpenDialog;
  readonly drive: Drive;
  readonly store: DriveStore;
  /** The folder that is shown. */
  readonly folder: FolderStore;
}

/** The dialog that is open above a folder. */
export function FolderDialogs({ open, drive, store, folder }: FolderDialogsProps) {
  const tell = (message: string, done: readonly Done[]) => {
    const canUndo = done.some(({ undo }) => undo !== null);
    say(message, { undo: canUndo ? (work) => takeBack(store, done, work) : undefined });
  };
  const onClose = () => folder.dismiss();
  const onDone = (message: string, done: readonly Done[] = []) => {
    tell(message, done);
    folder.finish(open);
  };
  const ends = { store, onDone, onClose };
  switch (open.kind) {
    case "new-folder":
      return <NewFolderDialog folder={folder.path} {...ends} />;
    case "new-file":
      return <NewFile folder={folder} store={store} onClose={onClose} />;
    case "rename":
      return <RenameDialog entry={open.entry} {...ends} />;
    case "transfer":
      return (
        <TransferDialog
          drive={drive}
          folder={folder.path}
          how={open.how}
          entries={open.entries}
          into={open.into}
          onPartlyDone={tell}
          {...ends}
        />
      );
    case "delete":
      return <DeleteDialog entries={open.entries} onPartlyDone={tell} {...ends} />;
    case "details":
      return <DetailsDialog entry={open.entry} {...ends} />;
    case "download-folder":
      return <DownloadDialog drive={drive} folder={folder.path} entries={open.entries} onClose={onClose} />;
    case "versions":
      return <VersionsDialog file={open.file} store={store} onClose={onClose} />;
    case "share":
      return <ShareDialog drive={drive.id} entry={open.entry} store={store} onClose={onClose} />;
  }
}
