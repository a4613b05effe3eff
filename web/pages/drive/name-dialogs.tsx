import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { ApiError } from "../../lib/api.ts";
import { createFolder, type Entry, nameProblem, transferFolder, updateFile } from "../../lib/files.ts";
import { nameOf, parentOf } from "../../lib/files-place.ts";
import { plain } from "../../lib/overrides.ts";

interface NameDialogProps {
  readonly driveId: string;
  /** With what was done, in words. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

/** Asks for a name and makes a folder of it. */
export function NewFolderDialog({
  driveId,
  folder,
  onDone,
  onClose,
}: NameDialogProps & { readonly folder: string }) {
  const create = async (values: FormData) => {
    const name = requiredName(values);
    await createFolder(driveId, `${folder}${name}/`);
    onDone(`Made the folder “${plain(name)}”.`);
  };
  return (
    <Dialog title="New folder" onClose={onClose}>
      <Form submit="Create" onSubmit={create} onCancel={onClose}>
        <NameField value="" />
      </Form>
    </Dialog>
  );
}

interface RenameDialogProps extends NameDialogProps {
  readonly entry: Entry;
}

/** Gives a file or folder another name in the same folder. */
export function RenameDialog({ driveId, entry, onDone, onClose }: RenameDialogProps) {
  const old = nameOf(entry.path);
  const rename = async (values: FormData) => {
    const name = requiredName(values);
    if (name === old) return onClose();
    await moveTo(driveId, entry, parentOf(entry.path) + name);
    onDone(`Renamed “${plain(old)}” to “${plain(name)}”.`);
  };
  return (
    <Dialog title={`Rename ${entry.kind}`} onClose={onClose}>
      <Form submit="Rename" onSubmit={rename} onCancel={onClose}>
        <NameField value={old} />
      </Form>
    </Dialog>
  );
}

/** @param path without a slash at the end */
async function moveTo(driveId: string, entry: Entry, path: string): Promise<void> {
  if (entry.kind === "file") await updateFile(entry.file.id, { path });
  else
    await transferFolder("move", { drive: driveId, path: entry.path }, { drive: driveId, path: `${path}/` });
}

function requiredName(values: FormData): string {
  const name = textOf(values, "name").trim().normalize("NFC");
  const problem = nameProblem(name);
  if (problem !== null) throw new ApiError(0, "VALIDATION_ERROR", problem, "name");
  return name;
}

/** The name, its part before the ending selected, as one most often wants to change that. */
function NameField({ value }: { readonly value: string }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const dot = value.lastIndexOf(".");
    input.current?.focus();
    input.current?.setSelectionRange(0, dot > 0 ? dot : value.length);
  }, []);
  return (
    <label class="field">
      <span>Name</span>
      <input
        ref={input}
        class="input"
        type="text"
        name="name"
        required
        autocomplete="off"
        dir="auto"
        defaultValue={value}
      />
    </label>
  );
}
