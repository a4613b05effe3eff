import { useState } from "preact/hooks";
import { Paste } from "../../components/connect/paste.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Choice } from "../../components/forms/choice.tsx";
import { Form, textOf } from "../../components/forms/form.tsx";
import type { Drive } from "../../lib/api/types.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { createWebhook, type MadeWebhook } from "../../lib/webhooks.ts";
import { t } from "../../lib/words/text.ts";
import { chosenIn, EventsField, UrlField } from "./fields.tsx";

interface NewWebhookProps {
  readonly drives: readonly Drive[];
  /** The drive that is chosen at first; null for all. */
  readonly driveId: string | null;
  readonly onClose: () => void;
  /** Called once it is made, and its secret was seen. */
  readonly onDone: (made: MadeWebhook) => void;
}

const ALL_DRIVES = "";

/** Makes a webhook, and then shows its secret, once. */
export function NewWebhook({ drives, driveId, onClose, onDone }: NewWebhookProps) {
  const [made, setMade] = useState<MadeWebhook | null>(null);
  if (made !== null) return <Secret made={made} onClose={() => onDone(made)} />;
  const make = async (values: FormData, headers: Readonly<Record<string, string>>) => {
    const drive = textOf(values, "drive_id");
    setMade(await createWebhook(drive === ALL_DRIVES ? null : drive, chosenIn(values), headers));
  };
  return (
    <Dialog title={t("New webhook")} onClose={onClose}>
      <Form submit={t("Create webhook")} onSubmit={make} onCancel={onClose}>
        <UrlField url="" />
        <Choice
          label={t("Drive")}
          name="drive_id"
          options={[
            { value: ALL_DRIVES, text: t("All my drives, also new ones") },
            ...drives.map(({ id, name }) => ({ value: id, text: plain(name) })),
          ]}
          value={driveId ?? ALL_DRIVES}
        />
        <EventsField events={["*"]} />
      </Form>
    </Dialog>
  );
}

/** A line with a library that is there for many languages (Standard Webhooks). */
const CHECK = "new Webhook(secret).verify(body, headers)";

function Secret({ made, onClose }: { readonly made: MadeWebhook; readonly onClose: () => void }) {
  return (
    <Dialog title={t("Webhook made")} onClose={onClose}>
      <Paste
        how={t("Each message is signed with this secret. It is shown only now.")}
        what={t("copy|the secret")}
        text={made.secret}
      />
      <Paste
        how={t(
          "With it, your server can tell whether a message is from here. The libraries of Standard Webhooks do that in a line:",
        )}
        what={t("copy|the line")}
        text={CHECK}
      />
      <div class="row">
        <button type="button" class="button primary" onClick={onClose}>
          {t("Done")}
        </button>
      </div>
    </Dialog>
  );
}
