import { useState } from "preact/hooks";
import { By } from "../../components/by.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { keepsVersions } from "../../lib/api/account.ts";
import { asApiError } from "../../lib/api/api.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { FileRecord } from "../../lib/api/types.ts";
import type { Happening } from "../../lib/fates.ts";
import { restoreFromTrash } from "../../lib/trash.ts";
import { restoreContent } from "../../lib/versions.ts";
import { rich, t } from "../../lib/words/text.ts";

interface Props {
  readonly file: FileRecord;
  readonly happening: Happening;
  readonly isReadOnly: boolean;
  /** Shows the file as it is now. */
  readonly onShow: () => void;
}

/** Says what others did to the file that is shown, and offers what can be done about it. */
export function FileHappening({ file, happening, isReadOnly, onShow }: Props) {
  const { account } = useSession();
  const [isBusy, setBusy] = useState(false);
  const { trashId, folder } = happening.kind === "deleted" ? happening : { trashId: null, folder: null };
  const take = async (action: () => Promise<unknown>) => {
    if (isBusy) return;
    setBusy(true);
    try {
      await action();
      onShow();
    } catch (error) {
      say(asApiError(error).message);
    } finally {
      setBusy(false);
    }
  };
  const button = (name: string, action: () => Promise<unknown>) => (
    <button type="button" class="button" aria-disabled={isBusy} onClick={() => void take(action)}>
      {name}
    </button>
  );
  return (
    <div class="notice careful preview-happening" role="status">
      <p>
        <Told happening={happening} />
      </p>
      <div class="row">
        {happening.kind === "replaced" && (
          <>
            <button type="button" class="button primary" onClick={onShow}>
              {t("Show the new one")}
            </button>
            {!isReadOnly &&
              keepsVersions(account) &&
              button(t("Put this one back"), () => restoreContent(file))}
          </>
        )}
        {trashId !== null &&
          !isReadOnly &&
          button(folder === null ? t("Put back") : t("Put the folder back"), () => restoreFromTrash(trashId))}
      </div>
    </div>
  );
}

function Told({ happening }: { readonly happening: Happening }) {
  const by = <By by={happening.by} />;
  if (happening.kind === "replaced") {
    return rich("This file was changed {by}. You see what it held before.", { by });
  }
  const isInTrash = happening.trashId !== null;
  if (happening.folder === null) {
    return isInTrash
      ? rich("This file was deleted {by}. You see what it held.", { by })
      : rich("This file was deleted or moved away {by}. You see what it held.", { by });
  }
  const names = { folder: <Name text={happening.folder} />, by };
  return isInTrash
    ? rich("The folder {folder} was deleted {by}, and this file with it.", names)
    : rich("The folder {folder} was deleted or moved away {by}, and this file with it.", names);
}
