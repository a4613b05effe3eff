import { useState } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { textOf } from "../../../components/forms/form.tsx";
import { FormDialog } from "../../../components/forms/form-dialog.tsx";
import { Labelled } from "../../../components/forms/labelled.tsx";
import { Name } from "../../../components/name.tsx";
import { ApiError } from "../../../lib/api/api.ts";
import { downloadAddress, type Entry } from "../../../lib/files.ts";
import { formatTime } from "../../../lib/words/format.ts";
import type { FileRecord, FolderRecord } from "../../../lib/api/types.ts";
import type { DriveStore } from "../store/drive.ts";
import { Facts, sizeInWords } from "./facts.tsx";
import { TagsField, TYPED_TAG, withTag } from "./tags-field.tsx";
import { plural, t } from "../../../lib/words/text.ts";

interface DetailsDialogProps {
  readonly store: DriveStore;
  readonly entry: Entry;
  /** With what was done, in words. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

export function DetailsDialog({ entry, ...ends }: DetailsDialogProps) {
  return entry.kind === "file" ? (
    <FileDetails {...ends} file={entry.file} />
  ) : (
    <FolderDetails folder={entry.folder} onClose={ends.onClose} />
  );
}

interface FolderDetailsProps {
  readonly folder: FolderRecord;
  readonly onClose: () => void;
}

function FolderDetails({ folder, onClose }: FolderDetailsProps) {
  return (
    <Dialog title={t("Details")} onClose={onClose}>
      <dl class="facts">
        <dt>{t("Path")}</dt>
        <dd>
          <Name text={folder.path} />
        </dd>
        <dt>{t("Contents")}</dt>
        <dd>
          {t("{files}, {size}", {
            files: plural(folder.file_count, "{count} file", "{count} files"),
            size: sizeInWords(folder.total_size),
          })}
        </dd>
        <dt>{t("Created")}</dt>
        <dd>{formatTime(folder.created_at)}</dd>
      </dl>
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}

type FileDetailsProps = Omit<DetailsDialogProps, "entry"> & { readonly file: FileRecord };

/** A file's tags, metadata and expiry can be changed. */
function FileDetails({ store, file, onDone, onClose }: FileDetailsProps) {
  const [tags, setTags] = useState(file.tags);
  const save = async (values: FormData) => {
    const changes = {
      tags: withTag(tags, textOf(values, TYPED_TAG)),
      metadata: metadataOf(textOf(values, "metadata")),
      ...expiryChange(file, textOf(values, "expires_at")),
    };
    await store.changeFile(file.id, changes);
    onDone(t("Details saved."));
  };
  return (
    <FormDialog title={t("Details")} submit={t("Save")} onSubmit={save} onClose={onClose}>
      <Facts file={file}>
        <dt>{t("Content")}</dt>
        <dd>
          <a href={downloadAddress(file.id)} download>
            {t("Download")}
          </a>
        </dd>
      </Facts>
      <TagsField tags={tags} onChange={setTags} />
      <Labelled label={t("Metadata")} name="metadata" hint={t("A JSON object with any data you like.")}>
        {(control) => (
          <textarea
            {...control}
            class="input mono"
            name="metadata"
            rows={4}
            spellcheck={false}
            defaultValue={JSON.stringify(file.metadata, null, 2)}
          />
        )}
      </Labelled>
      <Labelled label={t("Expires")} name="expires_at" hint={t("Leave blank for never. In your time zone.")}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="datetime-local"
            name="expires_at"
            defaultValue={localOf(file.expires_at)}
          />
        )}
      </Labelled>
    </FormDialog>
  );
}

function metadataOf(text: string): Record<string, unknown> {
  const value = parseJson(text.trim() === "" ? "{}" : text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ApiError(
      0,
      "VALIDATION_ERROR",
      t("Metadata must be a JSON object, such as {example}.", { example: '{"colour": "blue"}' }),
      "metadata",
    );
  }
  return { ...value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError(
      0,
      "VALIDATION_ERROR",
      t("Metadata is not valid JSON: {reason}", { reason }),
      "metadata",
    );
  }
}

/** The input shows minutes, so an expiry that was not touched is not sent: it would lose its seconds. */
function expiryChange(file: FileRecord, local: string): { expires_at?: string | null } {
  if (local === localOf(file.expires_at)) return {};
  return { expires_at: local === "" ? null : new Date(local).toISOString() };
}

/** A time as a `datetime-local` input has it, years of five digits without a sign; empty for none. */
function localOf(iso: string | null): string {
  if (iso === null) return "";
  const at = new Date(iso);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.replace(/^\+0*/, "").slice(0, -":00.000Z".length);
}
