import filesIcon from "lucide-static/icons/upload.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder-up.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../lib/api.ts";
import { asApiError } from "../lib/load.ts";
import { type ChosenFile, droppedFiles, filesOf, holdsFiles } from "../lib/uploads/chosen.ts";
import { nameIn } from "../lib/uploads/names.ts";
import { Failure } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";
import { say } from "./toast.tsx";
import { useUploads } from "./upload/context.tsx";

const TELL_MS = 500;

interface UploadAreaProps {
  readonly driveId: string;
  /** The folder that files go into, with its slash; empty for the root. */
  readonly folder: string;
  /** Called after files have been stored below the folder, not for each one of many. */
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}

/** Takes files and folders for a folder of a drive: by buttons, or dropped anywhere on the page. */
export function UploadArea({ driveId, folder, onDone, children }: UploadAreaProps) {
  const queue = useUploads();
  const [error, setError] = useState<ApiError | null>(null);
  const take = (chosen: readonly ChosenFile[]) => {
    setError(null);
    if (chosen.length === 0) say("There are no files in it.");
    queue.add(driveId, folder, chosen);
  };
  const isOver = useDrop((data) => {
    droppedFiles(data).then(take, (caught: unknown) => setError(asApiError(caught)));
  });
  useStored(driveId, folder, onDone);
  return (
    <div class="upload-area">
      <div class="row">
        <Chooser label="Upload files" icon={filesIcon} onChosen={take} />
        <Chooser label="Upload folder" icon={folderIcon} isFolder onChosen={take} />
      </div>
      {error !== null && <Failure error={error} />}
      {children}
      {isOver && (
        <div class="drop-hint">
          <Icon svg={filesIcon} />
          <p>
            Drop to upload to {folder === "" ? "this drive" : <Name text={nameIn(folder.slice(0, -1))} />}
          </p>
        </div>
      )}
    </div>
  );
}

interface ChooserProps {
  readonly label: string;
  readonly icon: string;
  readonly isFolder?: boolean;
  readonly onChosen: (chosen: readonly ChosenFile[]) => void;
}

function Chooser({ label, icon, isFolder = false, onChosen }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  // Not among the properties that Preact's types know.
  useEffect(() => void (input.current !== null && (input.current.webkitdirectory = isFolder)), [isFolder]);
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        <Icon svg={icon} /> {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={label}
        onChange={({ currentTarget }) => {
          onChosen(filesOf(currentTarget));
          // So that choosing the same again counts as a change.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/**
 * Calls `onDrop` for what is dropped anywhere on the page, which a browser would go away for otherwise;
 * returns whether something is held over it.
 */
function useDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useRef(onDrop);
  drop.current = onDrop;
  useEffect(() => {
    const abort = new AbortController();
    const listen = (type: "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) =>
      addEventListener(type, handle, { signal: abort.signal });
    listen("dragover", (event) => {
      if (!holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    });
    listen("dragleave", (event) => {
      // Nothing is entered instead: it left the page.
      if (event.relatedTarget === null) setOver(false);
    });
    listen("drop", (event) => {
      setOver(false);
      if (event.dataTransfer === null || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      drop.current(event.dataTransfer);
    });
    return () => abort.abort();
  }, []);
  return isOver;
}

/** Calls `onDone` soon after something was stored below a folder. */
function useStored(driveId: string, folder: string, onDone: () => void): void {
  const queue = useUploads();
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const forget = queue.onStored((upload) => {
      if (upload.driveId !== driveId || !upload.path.startsWith(folder)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        done.current();
      }, TELL_MS);
    });
    return () => {
      forget();
      clearTimeout(timer);
    };
  }, [queue, driveId, folder]);
}
