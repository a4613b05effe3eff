import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { call } from "../../lib/api/api.ts";
import type { ManagedLink } from "../../lib/api/types.ts";
import { rich, t } from "../../lib/words/text.ts";
import { nameOfLink } from "./words.ts";

interface RevokeLinkProps {
  readonly link: ManagedLink;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before a link stops working. */
export function RevokeLink({ link, onClose, onDone }: RevokeLinkProps) {
  return (
    <ConfirmDialog
      title={t("Revoke this link?")}
      submit={t("Revoke")}
      onConfirm={() => call("DELETE", `/v0/links/${link.id}`)}
      said={t("Link revoked.")}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {rich("The link to {name} will stop working at once. This can't be undone; you can make a new one.", {
          name: (
            <strong>
              <Name text={nameOfLink(link)} />
            </strong>
          ),
        })}
      </p>
    </ConfirmDialog>
  );
}
