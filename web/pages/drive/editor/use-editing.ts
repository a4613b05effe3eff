import { useState } from "preact/hooks";
import { say } from "../../../components/toast.tsx";
import { keepsVersions } from "../../../lib/api/account.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { FileRecord } from "../../../lib/api/types.ts";
import { askMerge } from "../../../lib/editing/ask-merge.ts";
import type { Draft } from "../../../lib/editing/drafts.ts";
import type { EditedFile } from "../../../lib/editing/edited-file.ts";
import { Editing } from "../../../lib/editing/editing.ts";
import type { StoredText } from "../../../lib/editing/stored.ts";
import { describeEntries, fileEntry } from "../../../lib/files.ts";
import { restoreBefore } from "../../../lib/versions.ts";
import type { DriveStore } from "../store/drive.ts";
import { t } from "../../../lib/words/text.ts";

/** What is edited: a text, or the draft that was made of one before. */
export interface Begun {
  readonly file: EditedFile;
  readonly stored: StoredText;
  readonly draft: Draft | null;
}

/** Begins to edit a text. What is saved is put into the page of the drive, and said, with a way back. */
export function useEditing(store: DriveStore, { file, stored, draft }: Begun): Editing {
  const { account } = useSession();
  const [editing] = useState(() => {
    const onSaved = (saved: FileRecord, isNew: boolean) => {
      store.fileChanged(saved);
      const what = describeEntries([fileEntry(saved)]);
      if (isNew) return say(t("Created {what}.", { what }));
      const undo = async () => {
        store.fileChanged(await restoreBefore(saved));
        await begun.refresh();
        return t("Put back what {what} held before.", { what });
      };
      say(t("Saved {what}.", { what }), keepsVersions(account) ? { undo } : {});
    };
    const text = draft === null ? {} : { text: draft.text };
    const base = draft?.base ?? stored;
    const begun = new Editing({ file, base, ...text, me: account.id, merge: askMerge, onSaved });
    // Others may have changed the file since.
    if (base.etag !== stored.etag) void begun.refresh();
    return begun;
  });
  return editing;
}
