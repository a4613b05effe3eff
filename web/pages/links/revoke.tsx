import { Dialog } from "../../components/dialog.tsx";
import { Form } from "../../components/forms/form.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { call } from "../../lib/api/api.ts";
import type { ManagedLink } from "../../lib/api/types.ts";
import { nameOfLink } from "./words.ts";

interface RevokeLinkProps {
  readonly link: ManagedLink;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before a link stops working. */
export function RevokeLink({ link, onClose, onDone }: RevokeLinkProps) {
  return (
    <Dialog title="Revoke this link?" onClose={onClose}>
      <p>
        The link to{" "}
        <strong>
          <Name text={nameOfLink(link)} />
        </strong>{" "}
        will stop working at once. This can't be undone; you can make a new one.
      </p>
      <Form
        submit="Revoke"
        danger
        onCancel={onClose}
        onSubmit={async () => {
          await call("DELETE", `/v0/links/${link.id}`);
          say("Link revoked.");
          onDone();
        }}
      >
        {null}
      </Form>
    </Dialog>
  );
}
