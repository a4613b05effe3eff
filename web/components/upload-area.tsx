import filesIcon from "lucide-static/icons/upload.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder-up.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ApiError, asApiError } from "../lib/api/api.ts";
import { nameOf } from "../lib/files.ts";
import { type Chosen, type Dropped, droppedFiles, filesOf } from "../lib/uploads/chosen.ts";
import { useDrop } from "../lib/uploads/drop.ts";
import { pastedFiles, usePaste } from "../lib/uploads/paste.ts";
import { rich, t } from "../lib/words/text.ts";
import { useActions } from "./actions.ts";
import { Failure } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";
import { say } from "./toast.tsx";
import { useUploads } from "./upload/context.tsx";
import { Unread } from "./upload/unread.tsx";

interface UploadAreaProps {
  readonly driveId: string;
  /** The folder that files go into, with its slash; empty for the root. */
  readonly folder: string;
  readonly children: ComponentChildren;
}

/** Uploads files and folders into a folder: chosen by buttons, or dropped or pasted anywhere on the page. */
export function UploadArea({ driveId, folder, children }: UploadAreaProps) {
  const queue = useUploads();
  const [error, setError] = useState<ApiError | null>(null);
  const [unread, setUnread] = useState<readonly string[]>([]);
  const [isReading, setReading] = useState(false);
  const take = (chosen: readonly Chosen[], missing: readonly string[] = []) => {
    setError(null);
    setUnread(missing);
    if (chosen.length + missing.length === 0) say(t("No files found."));
    queue.add(driveId, folder, chosen);
  };
  const read = async (reading: Promise<Dropped>) => {
    setReading(true);
    try {
      const { chosen, unread: missing } = await reading;
      take(chosen, missing);
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setReading(false);
    }
  };
  const isOver = useDrop((data) => void read(droppedFiles(data)));
  usePaste((data) => void read(pastedFiles(data)));
  return (
    <div class="upload-area">
      <div class="row">
        <Chooser label={t("Upload files")} short={t("Files")} icon={filesIcon} onChosen={take} />
        <Chooser label={t("Upload folder")} short={t("Folder")} icon={folderIcon} isFolder onChosen={take} />
      </div>
      {error !== null && <Failure error={error} />}
      {unread.length > 0 && <Unread paths={unread} onClose={() => setUnread([])} />}
      {children}
      {(isOver || isReading) && (
        <div class="drop-hint">
          <Icon svg={filesIcon} />
          {isReading ? (
            <p role="status">{t("Reading the files…")}</p>
          ) : (
            <p>
              {folder === ""
                ? t("Drop to upload to this drive")
                : rich("Drop to upload to {folder}", { folder: <Name text={nameOf(folder)} /> })}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

interface ChooserProps {
  readonly label: string;
  /** What is left of it where there is little room. */
  readonly short: string;
  readonly icon: string;
  readonly isFolder?: boolean;
  readonly onChosen: (chosen: readonly Chosen[]) => void;
}

function Chooser({ label, short, icon, isFolder = false, onChosen }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  // Preact's types lack this property.
  useLayoutEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder;
  }, [isFolder]);
  const choose = () => input.current?.click();
  useActions([{ name: label, svg: icon, onChoose: choose }]);
  return (
    <>
      <button type="button" class="button" title={label} onClick={choose}>
        <Icon svg={icon} />
        <span class="button-words">{label}</span>
        <span class="button-short" aria-hidden="true">
          {short}
        </span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={label}
        onChange={({ currentTarget }) => {
          onChosen(filesOf(currentTarget));
          // So that choosing the same file again is a change.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
