import failedIcon from "lucide-static/icons/circle-x.svg" with { type: "text" };
import deliveredIcon from "lucide-static/icons/circle-check.svg" with { type: "text" };
import waitingIcon from "lucide-static/icons/clock.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import type { Delivery } from "../../lib/api/types.ts";
import { formatRelative, formatTime, sentenceSpace } from "../../lib/words/format.ts";
import { mark, type PlainMessage, t } from "../../lib/words/text.ts";
import { attemptsOf, outcomeOf } from "./words.ts";

const LOOKS: Readonly<Record<Delivery["state"], { readonly name: PlainMessage; readonly icon: string }>> = {
  pending: { name: mark("Waiting"), icon: waitingIcon },
  delivered: { name: mark("Delivered"), icon: deliveredIcon },
  failed: { name: mark("Failed"), icon: failedIcon },
};

export interface DeliveryRowProps {
  readonly delivery: Delivery;
  /** Whether its webhook is: else nothing is sent. */
  readonly isEnabled: boolean;
  readonly onSend: () => void;
}

/** A message, what became of it, and a button that sends it once more. */
export function DeliveryRow({ delivery, isEnabled, onSend }: DeliveryRowProps) {
  const { id, type, state, attempts, created_at: at } = delivery;
  const isTest = type === "webhook.test";
  const { name, icon } = LOOKS[state];
  const what = isTest ? t("Test") : type;
  return (
    <li class={`record delivery is-${state}`} data-delivery={id}>
      <span class="kind">
        <Icon svg={icon} />
      </span>
      <div class="record-what">
        <h3>
          {isTest ? what : <code>{what}</code>} <span class="soft">{t(name)}</span>
        </h3>
        <p class="soft">{outcomeOf(delivery, isEnabled).join(sentenceSpace())}</p>
      </div>
      <p class="soft record-when">
        <span title={formatTime(at)}>{formatRelative(at)}</span>
        <span>{attemptsOf(delivery)}</span>
      </p>
      <div class="record-tools">
        {isEnabled && attempts > 0 && (
          <button
            type="button"
            class="button"
            aria-label={t("Send again: {what}", { what })}
            onClick={onSend}
          >
            {t("Send again")}
          </button>
        )}
      </div>
    </li>
  );
}
