import { useState } from "preact/hooks";
import { DAY_MS } from "../../../src/domain/time.ts";
import type { Agent } from "../../lib/agents/agents.ts";
import type { NewKey } from "../../lib/agents/pastes.ts";
import { ApiError, call } from "../../lib/api/api.ts";
import { lastDrive } from "../../lib/browser/last-drive.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { asFolder } from "../../lib/files/place.ts";
import type { ApiKey, Drive } from "../../lib/api/types.ts";
import { optionsOf } from "../../lib/words/options.ts";
import { mark, t } from "../../lib/words/text.ts";
import { Choice } from "../forms/choice.tsx";
import { Field, Form, textOf } from "../forms/form.tsx";
import { FolderChoice } from "../tree/folder-choice.tsx";

const ALL_DRIVES = "";

/** How long a key can work, in days. */
const LIFETIMES = [
  { value: "7", text: mark("In 7 days") },
  { value: "30", text: mark("In 30 days") },
  { value: "90", text: mark("In 90 days") },
  { value: "365", text: mark("In a year") },
  { value: "", text: mark("Never") },
];

/** A key that was just made: its record, and what the server never shows again. */
export interface MadeKey {
  readonly agent: Agent;
  readonly key: ApiKey;
  readonly given: NewKey;
}

/** Makes a key for an agent, first for the drive that one was in last. */
export function KeyForm(props: {
  readonly agent: Agent;
  /** Those that one may make keys for. */
  readonly drives: readonly Drive[];
  readonly onMade: (made: MadeKey) => void;
  readonly onCancel: () => void;
}) {
  const { agent, drives, onMade, onCancel } = props;
  // The same for every attempt, so that a retry after a lost answer is the same request.
  const [opened] = useState(() => Date.now());
  const [drive, setDrive] = useState(() => drives.find(({ id }) => id === lastDrive()) ?? drives[0]);
  /** Null for the whole drive. */
  const [folder, setFolder] = useState<string | null>(null);
  const make = async (values: FormData, headers: Readonly<Record<string, string>>) => {
    const prefix = folder === null ? undefined : asFolder(folder);
    if (prefix === "") throw new ApiError(0, "NO_FOLDER", t("Choose a folder."), "path_prefix");
    const body = {
      name: textOf(values, "name").trim(),
      scope: textOf(values, "scope"),
      drive_id: drive?.id,
      path_prefix: prefix,
      expires_at: expiryIn(textOf(values, "lifetime"), opened),
    };
    const made = await call<ApiKey & { key: string }>("POST", "/v0/keys", { body, headers });
    const given = {
      secret: made.key,
      readOnly: made.scope === "read-only",
      drive: drive === undefined ? null : (drive.slug ?? drive.id),
      folder: prefix ?? "",
    };
    onMade({ agent, key: made, given });
  };
  return (
    <Form submit={t("Create key")} onSubmit={make} onCancel={onCancel}>
      <Choice
        label={t("Access")}
        name="drive"
        options={[
          ...drives.map(({ id, name, slug }) => ({
            value: id,
            text: t("Only {drive} ({id})", { drive: plain(name), id: slug ?? id }),
          })),
          { value: ALL_DRIVES, text: t("All my drives and my account") },
        ]}
        value={drive?.id ?? ALL_DRIVES}
        onChoose={(chosen) => {
          setDrive(drives.find(({ id }) => id === chosen));
          setFolder(null);
        }}
      />
      {drive !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={folder !== null}
            onChange={(event) => setFolder(event.currentTarget.checked ? "" : null)}
          />{" "}
          {t("Only one folder of it")}
        </label>
      )}
      {drive !== undefined && folder !== null && (
        <FolderChoice
          drive={drive}
          folder={folder}
          name="path_prefix"
          hint={t("Choose a folder below or type a path: the agent sees and changes only what is in it.")}
          placeholder={t('e.g. "notes/"')}
          onChoose={setFolder}
        />
      )}
      <Choice
        label={t("Permission")}
        name="scope"
        value="read-write"
        options={[
          { value: "read-write", text: t("Read and write") },
          { value: "read-only", text: t("Read-only") },
        ]}
      />
      <Choice label={t("Expires")} name="lifetime" options={optionsOf(LIFETIMES)} value="90" />
      <Field
        key={agent.name}
        label={t("Name")}
        name="name"
        value={t(agent.name)}
        hint={t("What the key is called in the list of keys.")}
      />
    </Form>
  );
}

/** When a key made now expires; undefined for never. */
function expiryIn(days: string, now: number): string | undefined {
  return days === "" ? undefined : new Date(now + Number(days) * DAY_MS).toISOString();
}
