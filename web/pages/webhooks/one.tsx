import { useCallback } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { Name } from "../../components/name.tsx";
import { NotFound } from "../../components/shell/not-found.tsx";
import { useFeed } from "../../lib/api/feed.ts";
import { useLoad } from "../../lib/api/load.ts";
import { useLooks } from "../../lib/api/looks.ts";
import { usePages } from "../../lib/api/pages.ts";
import type { Drive } from "../../lib/api/types.ts";
import { Link } from "../../lib/browser/router.tsx";
import { getWebhook, listDeliveries } from "../../lib/webhooks.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { Deliveries } from "./deliveries.tsx";
import { Events, Reach, State, type WebhookProps } from "./parts.tsx";
import { Tools } from "./tools.tsx";
import { saidByServer } from "./words.ts";

interface OneWebhookProps {
  readonly id: string;
  /** The id of a delivery that was sent to try it; null for none. */
  readonly test: string | null;
  readonly drives: readonly Drive[];
}

/** A webhook, what can be done with it, and what became of its messages. */
export function OneWebhook({ id, test, drives }: OneWebhookProps) {
  const { loaded, reload } = useLoad(id, (signal) => getWebhook(id, signal));
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") {
    return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
  }
  const webhook = loaded.value;
  const drive = drives.find((each) => each.id === webhook.drive_id);
  return <WebhookPage webhook={webhook} drive={drive} test={test} onReload={reload} />;
}

interface PageProps extends WebhookProps, Pick<OneWebhookProps, "test"> {
  readonly onReload: () => void;
}

function WebhookPage({ webhook, drive, test, onReload }: PageProps) {
  const sent = usePages("deliveries", (part, signal) => listDeliveries(webhook.id, part, signal));
  const reload = useCallback(() => {
    // A delivery may have disabled it.
    onReload();
    sent.reload();
  }, [onReload, sent.reload]);
  useFeed(webhook.drive_id, reload);
  useLooks(sent.loaded, reload);
  return (
    <>
      <div class="page-head webhook-head">
        <div>
          <p class="soft">
            <Link to="/webhooks">{t("All webhooks")}</Link>
          </p>
          <h1 tabIndex={-1}>
            <Name text={webhook.url} />
          </h1>
        </div>
        <Tools webhook={webhook} onChanged={reload} />
      </div>
      <Facts webhook={webhook} drive={drive} />
      <section class="deliveries" aria-labelledby="deliveries">
        <h2 id="deliveries">{t("Deliveries")}</h2>
        <Deliveries webhook={webhook} test={test} {...sent} reload={reload} />
      </section>
    </>
  );
}

function Facts({ webhook, drive }: WebhookProps) {
  const { created_at: at, made_by: key, disabled_reason: reason } = webhook;
  return (
    <dl class="card facts">
      <dt>{t("State")}</dt>
      <dd>
        <State webhook={webhook} /> {reason !== null && saidByServer(reason)}
      </dd>
      <dt>{t("Told of")}</dt>
      <dd>
        <Events webhook={webhook} />
      </dd>
      <dt>{t("Drives")}</dt>
      <dd>
        <Reach webhook={webhook} drive={drive} />
      </dd>
      <dt>{t("Made")}</dt>
      <dd title={formatTime(at)}>
        {formatRelative(at)}
        {key !== null && <p class="soft">{t("It was made with a key, and ends with it.")}</p>}
      </dd>
    </dl>
  );
}
