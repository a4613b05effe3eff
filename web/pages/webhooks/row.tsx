import webhookIcon from "lucide-static/icons/webhook.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { Link } from "../../lib/browser/router.tsx";
import { webhookAddress } from "../../lib/webhooks.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { Events, Reach, State, type WebhookProps } from "./parts.tsx";
import { outcomeOf, saidByServer } from "./words.ts";

/** A webhook: where it leads, of what it tells, and how that goes. */
export function WebhookRow({ webhook, drive }: WebhookProps) {
  const { url, created_at: at, disabled_reason: reason, last_delivery: last } = webhook;
  return (
    <li class="record webhook">
      <span class="kind">
        <Icon svg={webhookIcon} />
      </span>
      <div class="record-what">
        <h2>
          <Link to={webhookAddress(webhook)}>
            <Name text={url} />
          </Link>
        </h2>
        <p class="soft">
          <Reach webhook={webhook} drive={drive} />
        </p>
        <Events webhook={webhook} />
      </div>
      <div class="record-when">
        <div>
          <State webhook={webhook} />
        </div>
        <p class="soft">
          {reason !== null && <span>{saidByServer(reason)}</span>}
          {reason === null &&
            last !== null &&
            outcomeOf(last, true).map((text) => <span key={text}>{text} </span>)}
        </p>
        <p class="soft">
          {last === null ? (
            <span title={formatTime(at)}>{t("Made {when}", { when: formatRelative(at) })}</span>
          ) : (
            <span title={formatTime(last.created_at)}>
              {t("Last message {when}", { when: formatRelative(last.created_at) })}
            </span>
          )}
        </p>
      </div>
    </li>
  );
}
