import changeIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import deleteIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import disableIcon from "lucide-static/icons/ban.svg" with { type: "text" };
import enableIcon from "lucide-static/icons/circle-check.svg" with { type: "text" };
import testIcon from "lucide-static/icons/send.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { type PageAction, useActions } from "../../components/actions.ts";
import { Icon } from "../../components/icon.tsx";
import { MenuButton } from "../../components/menu-button.tsx";
import { say } from "../../components/toast.tsx";
import { asApiError } from "../../lib/api/api.ts";
import type { Webhook } from "../../lib/api/types.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { changeWebhook, testWebhook, webhookAddress } from "../../lib/webhooks.ts";
import { t } from "../../lib/words/text.ts";
import { ChangeWebhook, DeleteWebhook } from "./dialogs.tsx";

interface ToolsProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

/** What can be done with the webhook that is shown. */
export function Tools({ webhook, onChanged }: ToolsProps) {
  const [asked, setAsked] = useState<"change" | "delete" | null>(null);
  const close = () => setAsked(null);
  const attempt = async (doing: () => Promise<unknown>) => {
    try {
      await doing();
    } catch (error) {
      say(asApiError(error).message);
    }
    onChanged();
  };
  const test = () =>
    attempt(async () => {
      const { id } = await testWebhook(webhook);
      navigate(webhookAddress(webhook, id), { replace: true });
    });
  const enable = (enabled: boolean) =>
    attempt(async () => {
      await changeWebhook(webhook, { enabled });
      say(enabled ? t("Webhook enabled.") : t("Webhook disabled."));
    });
  const first: PageAction =
    webhook.disabled_at === null
      ? {
          name: t("Send a test"),
          title: t("Send a test to this webhook"),
          svg: testIcon,
          onChoose: () => void test(),
        }
      : {
          name: t("Enable"),
          title: t("Enable this webhook"),
          svg: enableIcon,
          onChoose: () => void enable(true),
        };
  const rest: readonly PageAction[] = [
    {
      name: t("Change"),
      title: t("Change this webhook"),
      svg: changeIcon,
      onChoose: () => setAsked("change"),
    },
    ...(webhook.disabled_at === null
      ? [
          {
            name: t("Disable"),
            title: t("Disable this webhook"),
            svg: disableIcon,
            onChoose: () => void enable(false),
          },
        ]
      : []),
    {
      name: t("Delete"),
      title: t("Delete this webhook"),
      svg: deleteIcon,
      isApart: true,
      onChoose: () => setAsked("delete"),
    },
  ];
  useActions([first, ...rest]);
  return (
    <div class="row">
      <button type="button" class="button primary" onClick={first.onChoose}>
        <Icon svg={first.svg} /> {first.name}
      </button>
      <MenuButton label={t("More actions")} items={rest} />
      {asked === "change" && (
        <ChangeWebhook
          webhook={webhook}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
      {asked === "delete" && (
        <DeleteWebhook webhook={webhook} onClose={close} onDone={() => navigate("/webhooks")} />
      )}
    </div>
  );
}
