import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { Failure } from "../../components/failure.tsx";
import { call } from "../../lib/api/api.ts";
import { formatRelative, sentenceSpace } from "../../lib/words/format.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { ApiKey, KeyDetail } from "../../lib/api/types.ts";
import { madeBy } from "../../lib/words/made.ts";
import { rich, t } from "../../lib/words/text.ts";
import { nameOfKey } from "./key-row.tsx";

/** Asks before a key is revoked. */
export function RevokeKey(props: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { apiKey, onClose, onDone } = props;
  const { id, key_prefix: prefix, last_used_at: lastUsed, client_id: app } = apiKey;
  // Asked now: the key may have made more since the list was loaded.
  const { loaded, reload } = useLoad(id, (signal) => call<KeyDetail>("GET", `/v0/keys/${id}`, { signal }));
  const made = loaded.state === "ready" ? madeBy(loaded.value.made) : "";
  const key = (
    <>
      <strong>
        <Name text={nameOfKey(apiKey)} />
      </strong>{" "}
      (<code>{prefix}…</code>)
    </>
  );
  return (
    <ConfirmDialog
      title={t("Revoke this key?")}
      submit={t("Revoke")}
      onConfirm={() => call("DELETE", `/v0/keys/${id}`)}
      said={t("Key revoked.")}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {made === ""
          ? rich("{key} will stop working at once. This can't be undone.", { key })
          : rich("{key} and {things} will stop working at once. This can't be undone.", {
              key,
              things: <strong>{made}</strong>,
            })}
        {sentenceSpace()}
        {app === null ? "" : t("The app must ask you again.") + sentenceSpace()}
        {lastUsed === null
          ? t("It was never used.")
          : t("It was last used {when}.", { when: formatRelative(lastUsed) })}
      </p>
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "loading" && <p class="soft">{t("Looking for what it made…")}</p>}
    </ConfirmDialog>
  );
}
