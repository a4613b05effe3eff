import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, textOf } from "../../../components/forms/form.tsx";
import { Labelled } from "../../../components/forms/labelled.tsx";
import { ApiError } from "../../../lib/api/api.ts";
import { type Entry, nameProblem } from "../../../lib/files.ts";
import { nameOf, parentOf } from "../../../lib/files/place.ts";
import type { Undoable } from "../../../lib/files/steps.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import type { DriveStore } from "../store/drive.ts";
import { moving } from "../store/undo.ts";

interface NameDialogProps {
  readonly store: DriveStore;
  /** With what was done, in words, and how to take it back. */
  readonly onDone: (message: string, done?: readonly Undoable[]) => void;
  readonly onClose: () => void;
}

export function NewFolderDialog({
  store,
  folder,
  onDone,
  onClose,
}: NameDialogProps & { readonly folder: string }) {
  const create = async (values: FormData) => {
    const name = requiredName(values);
    await store.makeFolder(`${folder}${name}/`);
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

interface RenameDialogProps extends NameDialogProps {
  readonly entry: Entry;
}

/** Gives a file or folder another name in the same folder. */
export function RenameDialog({ store, entry, onDone, onClose }: RenameDialogProps) {
  const old = nameOf(entry.path);
  const rename = async (values: FormData) => {
    const name = requiredName(values);
    if (name === old) return onClose();
    await store.rename(entry, name);
    const to = { drive: store.drive, path: parentOf(entry.path) + name };
    onDone(`Renamed “${plain(old)}” to “${plain(name)}”.`, [moving(store, entry, to)]);
  };
  return (
    <Dialog title={`Rename ${entry.kind}`} onClose={onClose}>
      <Form submit="Rename" onSubmit={rename} onCancel={onClose}>
        <NameField value={old} />
      </Form>
    </Dialog>
  );
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
