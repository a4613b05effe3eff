import { say } from "../../../components/toast.tsx";
import { useLoad } from "../../../lib/api/load.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { FileRecord } from "../../../lib/api/types.ts";
import { dropDraft, keyOf, readDraft } from "../../../lib/editing/drafts.ts";
import { EditedFile } from "../../../lib/editing/edited-file.ts";
import { formatRelative } from "../../../lib/words/format.ts";
import { t } from "../../../lib/words/text.ts";

interface DraftNoticeProps {
  readonly file: FileRecord;
  readonly onContinue: () => void;
}

/** Says that changes of a file are kept here that were not saved, if so, and offers to go on with them. */
export function DraftNotice({ file, onContinue }: DraftNoticeProps) {
  const { account } = useSession();
  const key = keyOf(account.id, new EditedFile(file.drive_id, file.path, file));
  const { loaded, reload } = useLoad(key, () => readDraft(key));
  if (loaded.state !== "ready" || loaded.value === null) return null;
  const discard = async () => {
    await dropDraft(key);
    reload();
    say(t("Discarded your unsaved changes."));
  };
  return (
    <div class="notice careful preview-happening" role="status">
      <p>{t("You have unsaved changes from {when}.", { when: formatRelative(loaded.value.at) })}</p>
      <div class="row">
        <button type="button" class="button primary" onClick={onContinue}>
          {t("Continue")}
        </button>
        <button type="button" class="button" onClick={() => void discard()}>
          {t("Discard")}
        </button>
      </div>
    </div>
  );
}
