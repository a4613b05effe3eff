import { useState } from "preact/hooks";
import { Choice } from "../../../components/forms/choice.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, textOf } from "../../../components/forms/form.tsx";
import { describeEntries, type FileLink, fileEntry } from "../../../lib/files.ts";
import type { FileRecord } from "../../../lib/api/types.ts";
import type { DriveStore } from "../store/drive.ts";
import { MadeLink } from "./made-link.tsx";

const DURATIONS = [
  { value: "900", text: "15 minutes" },
  { value: "3600", text: "1 hour" },
  { value: "28800", text: "8 hours" },
  { value: "86400", text: "1 day" },
] as const;

interface LinkDialogProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  readonly onClose: () => void;
}

/** Creates a link that works without signing in. */
export function LinkDialog({ file, store, onClose }: LinkDialogProps) {
  const [link, setLink] = useState<FileLink | null>(null);
  const create = async (values: FormData) => {
    const seconds = Number(textOf(values, "seconds"));
    setLink(await store.makeLink(file.id, seconds, values.has("once")));
  };
  return (
    <Dialog title={`Link to ${describeEntries([fileEntry(file)])}`} onClose={onClose}>
      {link === null ? (
        <Form submit="Create link" onSubmit={create} onCancel={onClose}>
          <p class="soft">Anyone with the link can download the file without signing in.</p>
          <Choice label="Expires after" name="seconds" options={DURATIONS} value="3600" />
          <label class="check">
            <input type="checkbox" name="once" /> Single use
          </label>
        </Form>
      ) : (
        <MadeLink link={link} onClose={onClose} />
      )}
    </Dialog>
  );
}
