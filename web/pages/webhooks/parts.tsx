import { Name } from "../../components/name.tsx";
import type { Drive, Webhook } from "../../lib/api/types.ts";
import { Link } from "../../lib/browser/router.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { choiceOf, EVENT_GROUPS } from "../../lib/webhook-choice.ts";
import { stateOf } from "../../lib/webhook-state.ts";
import { t } from "../../lib/words/text.ts";
import { reachOf, STATES } from "./words.ts";

export interface WebhookProps {
  readonly webhook: Webhook;
  /** The only drive it tells of; undefined for all, or where that is deleted. */
  readonly drive: Drive | undefined;
}

export function State({ webhook }: Pick<WebhookProps, "webhook">) {
  const { name, look } = STATES[stateOf(webhook)];
  return <span class={look}>{t(name)}</span>;
}

/** Of what it tells. */
export function Events({ webhook }: Pick<WebhookProps, "webhook">) {
  const { isAll, groups, others } = choiceOf(webhook.events);
  return (
    <ul class="tags webhook-tags">
      {isAll && <li class="tag">{t("Everything")}</li>}
      {!isAll &&
        groups.map((group) => (
          <li key={group} class="tag">
            {t(EVENT_GROUPS[group].name)}
          </li>
        ))}
      {!isAll &&
        others.map((event) => (
          <li key={event} class="tag">
            <code>{event}</code>
          </li>
        ))}
    </ul>
  );
}

/** The drives of which it tells. */
export function Reach({ webhook, drive }: WebhookProps) {
  if (drive === undefined) return <>{reachOf(webhook)}</>;
  return (
    <Link to={folderAddress(drive.slug ?? drive.id, "")}>
      <Name text={drive.name} />
    </Link>
  );
}
