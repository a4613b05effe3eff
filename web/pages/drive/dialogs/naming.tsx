import { NameDialog } from "../../../components/forms/name-dialog.tsx";
import { type Entry, nameOf } from "../../../lib/files.ts";
import type { Done } from "../../../lib/files/steps.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import type { DriveStore } from "../store/drive.ts";
import { renaming } from "../store/undo.ts";
import { t } from "../../../lib/words/text.ts";

interface NamingProps {
  readonly store: DriveStore;
  /** With what was done, in words, and how to take it back. */
  readonly onDone: (message: string, done?: readonly Done[]) => void;
  readonly onClose: () => void;
}

export function NewFolderDialog({
  store,
  folder,
  onDone,
  onClose,
}: NamingProps & { readonly folder: string }) {
  const create = async (name: string) => {
    await store.makeFolder(`${folder}${name}/`);
    onDone(t("Created the folder “{name}”.", { name: plain(name) }));
  };
  return (
    <NameDialog title={t("New folder")} submit={t("Create")} value="" onName={create} onClose={onClose} />
  );
}

/** Gives a file or folder another name in the same folder. */
export function RenameDialog({ store, entry, onDone, onClose }: NamingProps & { readonly entry: Entry }) {
  const old = nameOf(entry.path);
  const rename = async (name: string) => {
    if (name === old) return onClose();
    const path = await store.rename(entry, name);
    const said = t("Renamed “{old}” to “{name}”.", { old: plain(old), name: plain(name) });
    onDone(said, [renaming(store, entry, path)]);
  };
  return (
    <NameDialog
      title={entry.kind === "file" ? t("Rename file") : t("Rename folder")}
      submit={t("Rename")}
      value={old}
      onName={rename}
      onClose={onClose}
    />
  );
}
