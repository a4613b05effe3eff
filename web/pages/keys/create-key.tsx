import { useState } from "preact/hooks";
import { DAY_MS } from "../../../src/domain/time.ts";
import { Choice } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FolderChoice } from "../../components/tree/folder-choice.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { call } from "../../lib/api/api.ts";
import { lastDrive } from "../../lib/browser/last-drive.ts";
import { asFolder } from "../../lib/files/place.ts";
import type { NewKey } from "../../lib/words/key-snippets.ts";
import { plain } from "../../lib/contents/overrides.ts";
import type { Drive } from "../../lib/api/types.ts";

const ALL_DRIVES = "";

/** How long a key can work, in days. */
const LIFETIMES = [
  { value: "7", text: "In 7 days" },
  { value: "30", text: "In 30 days" },
  { value: "90", text: "In 90 days" },
  { value: "365", text: "In a year" },
  { value: "", text: "Never" },
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
  const [drive, setDrive] = useState(() => drives.find(({ id }) => id === lastDrive()) ?? drives[0]);
  const [folder, setFolder] = useState("");
  return (
    <FormDialog
      title="New key"
      submit="Create key"
      onSubmit={async (values, headers) => {
        const prefix = drive === undefined ? "" : asFolder(folder);
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
          ...drives.map(({ id, name, slug }) => ({
            value: id,
            text: `Only ${plain(name)} (${slug ?? id})`,
          })),
          { value: ALL_DRIVES, text: "All my drives and my account" },
        ]}
        value={drive?.id ?? ALL_DRIVES}
        onChoose={(chosen) => {
          setDrive(drives.find(({ id }) => id === chosen));
          setFolder("");
        }}
      />
      {drive !== undefined && (
        <FolderChoice
          drive={drive}
          folder={folder}
          name="path_prefix"
          hint="Choose a folder below or type a path: the key sees and changes only what is in it."
          placeholder="The whole drive"
          onChoose={setFolder}
        />
      )}
      <Choice
        label="Permission"
        name="scope"
        value="read-write"
        options={[
          { value: "read-write", text: "Read and write" },
          { value: "read-only", text: "Read-only" },
        ]}
      />
      <Choice label="Expires" name="lifetime" options={LIFETIMES} value="90" />
    </FormDialog>
  );
}

/** When a key made now expires; undefined for never. */
function expiryIn(days: string, now: number): string | undefined {
  return days === "" ? undefined : new Date(now + Number(days) * DAY_MS).toISOString();
}
