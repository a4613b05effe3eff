import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { ApiError } from "../../lib/api.ts";
import { createFolder, type Entry, type FileEntry, nameProblem, updateFile } from "../../lib/files.ts";
import { nameOf, parentOf } from "../../lib/files-place.ts";
import { transferEntries } from "../../lib/files-work.ts";
import { plain } from "../../lib/overrides.ts";
import { useWork } from "./use-work.ts";
import { WorkReport } from "./work-report.tsx";

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
export function RenameDialog({ entry, ...props }: RenameDialogProps) {
  return entry.kind === "file" ? (
    <RenameFile {...props} entry={entry} />
  ) : (
    <RenameFolder {...props} entry={entry} />
  );
}

function RenameFile({ entry, onDone, onClose }: NameDialogProps & { readonly entry: FileEntry }) {
  const old = nameOf(entry.path);
  const rename = async (values: FormData) => {
    const name = requiredName(values);
    if (name === old) return onClose();
    await updateFile(entry.file.id, { path: parentOf(entry.path) + name });
    onDone(renamed(old, name));
  };
  return (
    <Dialog title="Rename file" onClose={onClose}>
      <Form submit="Rename" onSubmit={rename} onCancel={onClose}>
        <NameField value={old} />
      </Form>
    </Dialog>
  );
}

function RenameFolder({ driveId, entry, onDone, onClose }: RenameDialogProps) {
  const old = nameOf(entry.path);
  const newName = useRef(old);
  const { work, start, stop } = useWork(
    (run) => {
      const to = { toDrive: driveId, toFolder: parentOf(entry.path), newName: newName.current };
      return transferEntries({ kind: "move", drive: driveId, entries: [entry], ...to }, run);
    },
    () => onDone(renamed(old, newName.current)),
  );
  const rename = async (values: FormData) => {
    newName.current = requiredName(values);
    if (newName.current === old) onClose();
    else start();
  };
  return (
    <Dialog title="Rename folder" onClose={onClose}>
      {work.state === "idle" && (
        <Form submit="Rename" onSubmit={rename} onCancel={onClose}>
          <NameField value={old} />
          <p class="soft">What is in it is moved file by file: keep this page open meanwhile.</p>
        </Form>
      )}
      <WorkReport work={work} onStop={stop} onClose={onClose} />
    </Dialog>
  );
}

function renamed(old: string, name: string): string {
  return `Renamed “${plain(old)}” to “${plain(name)}”.`;
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
