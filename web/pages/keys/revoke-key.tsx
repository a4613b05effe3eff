import { Dialog } from "../../components/dialog.tsx";
import { Form } from "../../components/form.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { call } from "../../lib/api.ts";
import { formatRelative } from "../../lib/format.ts";
import type { ApiKey } from "../../lib/types.ts";
import { NAMELESS } from "./key-row.tsx";

/** Asks before a key is revoked. */
export function RevokeKey(props: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { apiKey, onClose, onDone } = props;
  const { id, name, key_prefix: prefix, last_used_at: lastUsed, client_id: app } = apiKey;
  return (
    <Dialog title="Revoke this key?" onClose={onClose}>
      <p>
        <strong>
          <Name text={name === "" ? NAMELESS : name} />
        </strong>{" "}
        (<code>{prefix}…</code>) will stop working at once. This can't be undone.{" "}
        {app === null ? "" : "The app must ask you again. "}
        {lastUsed === null ? "It was never used." : `It was last used ${formatRelative(lastUsed)}.`}
      </p>
      <Form
        submit="Revoke"
        danger
        onCancel={onClose}
        onSubmit={async () => {
          await call("DELETE", `/v0/keys/${id}`);
          say("Key revoked.");
          onDone();
        }}
      >
        {null}
      </Form>
    </Dialog>
  );
}
