import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, textOf } from "../../../components/form.tsx";
import { Labelled } from "../../../components/labelled.tsx";
import { ApiError } from "../../../lib/api.ts";
import { createFolder, type Entry, nameProblem, transferFolder, updateFile } from "../../../lib/files.ts";
import { nameOf, parentOf } from "../../../lib/files/place.ts";
import { orUncertain } from "../../../lib/or-uncertain.ts";
import { plain } from "../../../lib/overrides.ts";

interface NameDialogProps {
  readonly driveId: string;
  /** With what was done, in words. */
  readonly onDone: (message: string) => void;
  /** It was refused, or nobody knows whether it was done. */
  readonly onUncertain: () => void;
  readonly onClose: () => void;
}

/** Asks for a name and creates a folder. */
export function NewFolderDialog({
  driveId,
  folder,
  onDone,
  onUncertain,
  onClose,
}: NameDialogProps & { readonly folder: string }) {
  const create = async (values: FormData) => {
    const name = requiredName(values);
    await orUncertain(createFolder(driveId, `${folder}${name}/`), onUncertain);
    onDone(`Created the folder “${plain(name)}”.`);
  };
  return (
    <Dialog title="New folder" onClose={onClose}>
      <Form submit="Create" onSubmit={create} onCancel={onClose}>
        <NameField value="" />
      </Form>
    </Dialog>
  );
}

interface RenameDialogProps extends Omit<NameDialogProps, "onDone"> {
  readonly entry: Entry;
  /** With what was done, in words, and the key that the entry has now. */
  readonly onDone: (message: string, key: string) => void;
}

/** Gives a file or folder another name in the same folder. */
export function RenameDialog({ driveId, entry, onDone, onUncertain, onClose }: RenameDialogProps) {
  const old = nameOf(entry.path);
  const rename = async (values: FormData) => {
    const name = requiredName(values);
    if (name === old) return onClose();
    const key = await orUncertain(moveTo(driveId, entry, parentOf(entry.path) + name), onUncertain);
    onDone(`Renamed “${plain(old)}” to “${plain(name)}”.`, key);
  };
  return (
    <Dialog title={`Rename ${entry.kind}`} onClose={onClose}>
      <Form submit="Rename" onSubmit={rename} onCancel={onClose}>
        <NameField value={old} />
      </Form>
    </Dialog>
  );
}

/**
 * Gives the entry's key there.
 *
 * @param path without a slash at the end
 */
async function moveTo(driveId: string, entry: Entry, path: string): Promise<string> {
  if (entry.kind === "file") {
    await updateFile(entry.file.id, { path });
    return entry.key;
  }
  const to = `${path}/`;
  await transferFolder("move", { drive: driveId, path: entry.path }, { drive: driveId, path: to });
  return to;
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
  // Before the dialog is there to be typed in: later, it would select what has been typed by then.
  useLayoutEffect(() => {
    const dot = value.lastIndexOf(".");
    input.current?.setSelectionRange(0, dot > 0 ? dot : value.length);
  }, []);
  return (
    <Labelled label="Name" name="name">
      {(control) => (
        <input
          {...control}
          ref={input}
          class="input"
          type="text"
          name="name"
          required
          autocomplete="off"
          dir="auto"
          defaultValue={value}
        />
      )}
    </Labelled>
  );
}
