import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Preview } from "../../components/preview/preview.tsx";
import type { Steps } from "../../components/preview/step-buttons.tsx";
import { useLoad } from "../../lib/api/load.ts";
import { readdress } from "../../lib/browser/router.tsx";
import { getSharedFile, sharedAddress, shownFile } from "../../lib/shared.ts";
import type { SharedFile } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";

interface SharedPreviewProps {
  readonly token: string;
  readonly path: string;
  /** What of its folder is loaded. */
  readonly files: readonly SharedFile[];
  readonly onClose: () => void;
}

/** The preview of a file in a folder that a link shows. */
export function SharedPreview({ files, ...rest }: SharedPreviewProps) {
  const index = files.findIndex((file) => file.path === rest.path);
  const known = files[index];
  if (known === undefined) return <Found key={rest.path} {...rest} />;
  const go = (by: number) => {
    const next = files[index + by];
    if (next !== undefined) readdress(sharedAddress(rest.token, next.path));
  };
  const steps: Steps = { at: index + 1, of: files.length, go };
  return <Preview file={shownFile(known)} steps={steps} onClose={rest.onClose} />;
}

function Found({ token, path, onClose }: Omit<SharedPreviewProps, "files">) {
  const { loaded, reload } = useLoad(path, (signal) => getSharedFile(token, path, signal));
  if (loaded.state === "loading") return null;
  if (loaded.state === "ready") return <Preview file={loaded.value} onClose={onClose} />;
  const isGone = loaded.error.status === 404;
  return (
    <Dialog title={isGone ? t("File not found") : t("Couldn't load the file")} onClose={onClose}>
      {isGone ? (
        <p>{t("It was deleted or moved, or the address is wrong.")}</p>
      ) : (
        <Failure error={loaded.error} retry={reload} />
      )}
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}
