import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Preview } from "../../components/preview/preview.tsx";
import { useLoad } from "../../lib/api/load.ts";
import { getSharedFile, shownFile } from "../../lib/shared.ts";
import type { SharedFile } from "../../lib/api/types.ts";

interface SharedPreviewProps {
  readonly token: string;
  readonly path: string;
  /** The file, if it is in the list already. */
  readonly known: SharedFile | undefined;
  readonly onClose: () => void;
}

/** The preview of a file in a folder that a link shows. */
export function SharedPreview({ known, ...rest }: SharedPreviewProps) {
  if (known !== undefined) return <Preview file={shownFile(known)} onClose={rest.onClose} />;
  return <Found {...rest} />;
}

function Found({ token, path, onClose }: Omit<SharedPreviewProps, "known">) {
  const { loaded, reload } = useLoad(path, (signal) => getSharedFile(token, path, signal));
  if (loaded.state === "loading") return null;
  if (loaded.state === "ready") return <Preview file={loaded.value} onClose={onClose} />;
  const isGone = loaded.error.status === 404;
  return (
    <Dialog title={isGone ? "File not found" : "Couldn't load the file"} onClose={onClose}>
      {isGone ? (
        <p>It was deleted or moved, or the address is wrong.</p>
      ) : (
        <Failure error={loaded.error} retry={reload} />
      )}
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
