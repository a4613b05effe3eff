import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import type { Webhook } from "../../lib/api/types.ts";
import { changeWebhook, deleteWebhook } from "../../lib/webhooks.ts";
import { rich, t } from "../../lib/words/text.ts";
import { chosenIn, EventsField, UrlField } from "./fields.tsx";

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

export function ChangeWebhook({ webhook, onClose, onDone }: DialogProps) {
  return (
    <FormDialog
      title={t("Change this webhook")}
      submit={t("Save")}
      onSubmit={async (values) => {
        await changeWebhook(webhook, chosenIn(values));
        say(t("Webhook changed."));
        onDone();
      }}
      onClose={onClose}
    >
      <UrlField url={webhook.url} />
      <EventsField events={webhook.events} />
    </FormDialog>
  );
}

/** Asks before a webhook is deleted. */
export function DeleteWebhook({ webhook, onClose, onDone }: DialogProps) {
  return (
    <ConfirmDialog
      title={t("Delete this webhook?")}
      submit={t("Delete webhook")}
      onConfirm={() => deleteWebhook(webhook)}
      said={t("Webhook deleted.")}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {rich("{url} is told nothing any more. Messages that wait are not sent. This can't be undone.", {
          url: (
            <strong>
              <Name text={webhook.url} />
            </strong>
          ),
        })}
      </p>
    </ConfirmDialog>
  );
}
