import { useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { call } from "../../lib/api.ts";
import { describeEntries, type Entry } from "../../lib/files.ts";
import { transferEntries } from "../../lib/files/work.ts";
import { useLoad } from "../../lib/load.ts";
import type { Drive } from "../../lib/types.ts";
import { FolderTree } from "./folder-tree.tsx";
import { useWork } from "./use-work.ts";
import { WorkReport } from "./work-report.tsx";

interface TransferDialogProps {
  readonly drive: Drive;
  readonly folder: string;
  readonly how: "move" | "copy";
  readonly entries: readonly Entry[];
  /** With what was done, in words. */
  readonly onDone: (message: string) => void;
  /** Some of it may be done, and that is all: it was stopped or partly refused. */
  readonly onPart: () => void;
  readonly onClose: () => void;
}

/** Asks where to, and moves or copies there. */
export function TransferDialog({
  drive,
  folder,
  how,
  entries,
  onDone,
  onPart,
  onClose,
}: TransferDialogProps) {
  const [toDrive, setToDrive] = useState(drive);
  const [toFolder, setToFolder] = useState(folder);
  const { loaded } = useLoad("drives", (signal) => call<{ data: Drive[] }>("GET", "/v0/drives", { signal }));
  const what = describeEntries(entries);
  const { work, start, stop } = useWork(
    (run) => {
      const to = { toDrive: toDrive.id, toFolder: asFolder(toFolder) };
      return transferEntries({ kind: how, drive: drive.id, entries, ...to }, run);
    },
    { onSuccess: () => onDone(`${how === "move" ? "Moved" : "Copied"} ${what}.`), onPart },
  );
  const drives = loaded.state === "ready" ? loaded.value.data : [drive];
  const isHere = toDrive.id === drive.id && asFolder(toFolder) === folder;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <Dialog title={`${how === "move" ? "Move" : "Copy"} ${what}`} onClose={onClose}>
      {(work.state === "idle" || work.state === "failed") && (
        <form onSubmit={submit}>
          {drives.length > 1 && (
            <label class="field">
              <span>Drive</span>
              <select
                class="input"
                value={toDrive.id}
                onChange={(event) => {
                  const id = event.currentTarget.value;
                  setToDrive(drives.find((one) => one.id === id) ?? drive);
                  setToFolder("");
                }}
              >
                {drives.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label class="field">
            <span>Folder</span>
            <input
              class="input"
              dir="auto"
              value={toFolder}
              placeholder="The top of the drive"
              autocomplete="off"
              onInput={(event) => setToFolder(event.currentTarget.value)}
            />
            <small class="soft">Choose one below or type its path; a new one is made.</small>
          </label>
          <FolderTree
            key={toDrive.id}
            drive={toDrive.id}
            driveName={toDrive.name}
            chosen={asFolder(toFolder)}
            onChoose={setToFolder}
          />
          {isHere && <p class="soft">That is where it is already: choose another folder.</p>}
          <WorkReport work={work} onStop={stop} onClose={onClose} />
          <div class="row">
            <button class="button primary" disabled={isHere}>
              {how === "move" ? "Move here" : "Copy here"}
            </button>
            <button type="button" class="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </form>
      )}
      {work.state !== "failed" && <WorkReport work={work} onStop={stop} onClose={onClose} />}
    </Dialog>
  );
}

/** A typed folder as the API writes it. */
function asFolder(typed: string): string {
  const path = typed.normalize("NFC").replace(/^\/+|\/+$/g, "");
  return path === "" ? "" : `${path}/`;
}
