import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { textOf } from "../../../components/forms/form.tsx";
import { FormDialog } from "../../../components/forms/form-dialog.tsx";
import { Labelled } from "../../../components/forms/labelled.tsx";
import { ApiError } from "../../../lib/api/api.ts";
import { type Entry, nameOf, nameProblem } from "../../../lib/files.ts";
import type { Done } from "../../../lib/files/steps.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import type { DriveStore } from "../store/drive.ts";
import { renaming } from "../store/undo.ts";

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
    onDone(`Created the folder “${plain(name)}”.`);
  };
  return <NameDialog title="New folder" submit="Create" value="" onName={create} onClose={onClose} />;
}

/** Gives a file or folder another name in the same folder. */
export function RenameDialog({ store, entry, onDone, onClose }: NamingProps & { readonly entry: Entry }) {
  const old = nameOf(entry.path);
  const rename = async (name: string) => {
    if (name === old) return onClose();
    const path = await store.rename(entry, name);
    onDone(`Renamed “${plain(old)}” to “${plain(name)}”.`, [renaming(store, entry, path)]);
  };
  return (
    <NameDialog
      title={`Rename ${entry.kind}`}
      submit="Rename"
      value={old}
      onName={rename}
      onClose={onClose}
    />
  );
}

interface NameDialogProps {
  readonly title: string;
  readonly submit: string;
  /** The name so far. */
  readonly value: string;
  readonly onName: (name: string) => Promise<void>;
  readonly onClose: () => void;
  /** What is to be known before. */
  readonly children?: ComponentChildren;
}

/** Asks for the name of a file or folder. */
export function NameDialog({ value, onName, children, ...dialog }: NameDialogProps) {
  return (
    <FormDialog {...dialog} onSubmit={(values) => onName(requiredName(values))}>
      {children}
      <NameField value={value} />
    </FormDialog>
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
