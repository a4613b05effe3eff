import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Choice } from "../../../components/choice.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, textOf } from "../../../components/form.tsx";
import { Labelled } from "../../../components/labelled.tsx";
import { say } from "../../../components/toast.tsx";
import { copyText } from "../../../lib/clipboard-copy.ts";
import { describeEntries, type FileLink, fileEntry } from "../../../lib/files.ts";
import { formatTime } from "../../../lib/format.ts";
import type { FileRecord } from "../../../lib/types.ts";
import type { DriveStore } from "../store/drive.ts";

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

function MadeLink({ link, onClose }: { readonly link: FileLink; readonly onClose: () => void }) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  // The button that had the focus is gone with the form.
  useLayoutEffect(() => input.current?.focus(), []);
  const copy = async () => {
    try {
      await copyText(link.url);
      say("Link copied.");
      onClose();
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Labelled
        label="Link"
        name="url"
        hint={`Expires ${formatTime(link.expires_at)}. It won't be shown again.`}
      >
        {(control) => (
          <input
            {...control}
            ref={input}
            class="input mono"
            readOnly
            value={link.url}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Labelled>
      {refusal !== null && (
        <p class="notice bad" role="alert">
          {refusal}
        </p>
      )}
      <div class="row">
        <button type="button" class="button primary" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}
