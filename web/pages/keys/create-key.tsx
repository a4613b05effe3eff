import { useState } from "preact/hooks";
import { DAY_MS } from "../../../src/domain/time.ts";
import { Choice } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { ApiError, call } from "../../lib/api/api.ts";
import { isManaged } from "../../lib/drive-places.ts";
import { asFolder } from "../../lib/files/place.ts";
import type { NewKey } from "../../lib/words/key-snippets.ts";
import { plain } from "../../lib/contents/overrides.ts";
import type { Drive } from "../../lib/api/types.ts";

const ALL_DRIVES = "";

/** How long a key can work, in days. */
const LIFETIMES = [
  { value: "", text: "Never" },
  { value: "7", text: "In 7 days" },
  { value: "30", text: "In 30 days" },
  { value: "90", text: "In 90 days" },
  { value: "365", text: "In a year" },
];

/** Creates a key; `onDone` gets it with its secret, which the server never shows again. */
export function CreateKey(props: {
  readonly drives: readonly Drive[];
  readonly onClose: () => void;
  readonly onDone: (made: NewKey) => void;
}) {
  const { drives, onClose, onDone } = props;
  // The same for every attempt, so that a retry after a lost answer is the same request.
  const [opened] = useState(() => Date.now());
  return (
    <FormDialog
      title="New key"
      submit="Create key"
      onSubmit={async (values, headers) => {
        const drive = drives.find(({ id }) => id === textOf(values, "drive"));
        const prefix = asFolder(textOf(values, "path_prefix"));
        if (prefix !== "" && drive === undefined) {
          throw new ApiError(0, "VALIDATION_ERROR", "Choose the drive that the folder is in.", "drive");
        }
        const scope = textOf(values, "scope");
        const body = {
          name: textOf(values, "name").trim(),
          scope,
          drive_id: drive?.id,
          path_prefix: prefix === "" ? undefined : prefix,
          expires_at: expiryIn(textOf(values, "lifetime"), opened),
        };
        const { key } = await call<{ key: string }>("POST", "/v0/keys", { body, headers });
        onDone({
          secret: key,
          readOnly: scope === "read-only",
          drive: drive === undefined ? null : (drive.slug ?? drive.id),
          folder: prefix,
          server: location.origin,
        });
      }}
      onClose={onClose}
    >
      <Field label="Name" name="name" placeholder={'e.g. "claude-laptop"'} />
      <Choice
        label="Access"
        name="drive"
        options={[
          { value: ALL_DRIVES, text: "All my drives and my account" },
          ...drives.filter(isManaged).map(({ id, name, slug }) => ({
            value: id,
            text: `Only ${plain(name)} (${slug ?? id})`,
          })),
        ]}
      />
      <Field
        label="Folder"
        name="path_prefix"
        placeholder="e.g. notes/"
        hint="Optional, for a key of one drive: it sees and changes only what is in this folder."
      />
      <Choice
        label="Permission"
        name="scope"
        value="read-write"
        options={[
          { value: "read-write", text: "Read and write" },
          { value: "read-only", text: "Read-only" },
        ]}
      />
      <Choice label="Expires" name="lifetime" options={LIFETIMES} />
    </FormDialog>
  );
}

/** When a key made now expires; undefined for never. */
function expiryIn(days: string, now: number): string | undefined {
  return days === "" ? undefined : new Date(now + Number(days) * DAY_MS).toISOString();
}
