import { useState } from "preact/hooks";
import { FormDialog } from "../../../components/forms/form-dialog.tsx";
import { Field, textOf } from "../../../components/forms/form.tsx";
import { Name } from "../../../components/name.tsx";
import { labelVersion } from "../../../lib/versions.ts";
import type { FileRecord, Version } from "../../../lib/api/types.ts";
import { t } from "../../../lib/words/text.ts";

/** A content of a file: its label, and what was said of the change that made it. */
export type Labelled = Pick<Version, "version" | "label" | "message">;

export function Known({ version: { label, message } }: { readonly version: Labelled }) {
  return (
    <>
      {message !== null && (
        <p>
          <Name text={message} />
        </p>
      )}
      {label !== null && (
        <p>
          <span class="badge">
            <Name text={label} />
          </span>
        </p>
      )}
    </>
  );
}

interface LabelButtonProps {
  readonly file: FileRecord;
  readonly version: Labelled;
  readonly onLabelled: () => void;
}

/** Asks for a name of a content, such as "approved". */
export function LabelButton({ file, version: { version, label }, onLabelled }: LabelButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const title = t("Label version {version}", { version: String(version) });
  return (
    <>
      <button
        type="button"
        class="button quiet"
        aria-haspopup="dialog"
        aria-label={title}
        onClick={() => setOpen(true)}
      >
        {t("verb|Label")}
      </button>
      {isOpen && (
        <FormDialog
          title={title}
          submit={t("Save")}
          onClose={() => setOpen(false)}
          onSubmit={async (values) => {
            await labelVersion(file.id, version, textOf(values, "label").trim());
            setOpen(false);
            onLabelled();
          }}
        >
          <Field
            label={t("Label")}
            name="label"
            value={label ?? ""}
            placeholder={t("approved")}
            hint={t("Another version of the file that has this label loses it. Empty for none.")}
          />
        </FormDialog>
      )}
    </>
  );
}
