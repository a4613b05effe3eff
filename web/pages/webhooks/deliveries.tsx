import { Failure } from "../../components/failure.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { say } from "../../components/toast.tsx";
import { asApiError } from "../../lib/api/api.ts";
import type { usePages } from "../../lib/api/pages.ts";
import type { Delivery, Webhook } from "../../lib/api/types.ts";
import { resendDelivery } from "../../lib/webhooks.ts";
import { t } from "../../lib/words/text.ts";
import { DeliveryRow, type DeliveryRowProps } from "./delivery.tsx";
import { outcomeOf } from "./words.ts";

interface DeliveriesProps extends ReturnType<typeof usePages<Delivery>> {
  readonly webhook: Webhook;
  /** The id of the delivery that was sent to try it; null for none. */
  readonly test: string | null;
}

/** The messages to a webhook, the newest first, and what became of each. */
export function Deliveries({ webhook, test, loaded, reload, more }: DeliveriesProps) {
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { data: deliveries, hasMore } = loaded.value;
  const isEnabled = webhook.disabled_at === null;
  const tried = deliveries.find(({ id }) => id === test);
  const send = async (delivery: Delivery) => {
    try {
      await resendDelivery(webhook, delivery);
      say(t("The message is sent again."));
    } catch (error) {
      say(asApiError(error).message);
    }
    reload();
  };
  return (
    <>
      <div role="status">{tried !== undefined && <Tried delivery={tried} isEnabled={isEnabled} />}</div>
      {deliveries.length === 0 && (
        <p class="soft">{t("Nothing was sent yet. Send a test, or change a file.")}</p>
      )}
      {deliveries.length > 0 && (
        <ul class="list">
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              isEnabled={isEnabled}
              onSend={() => void send(delivery)}
            />
          ))}
        </ul>
      )}
      {hasMore && <ShowMore onMore={more} />}
    </>
  );
}

/** What came of a test. */
function Tried({ delivery, isEnabled }: Pick<DeliveryRowProps, "delivery" | "isEnabled">) {
  const outcome = outcomeOf(delivery, isEnabled);
  if (delivery.state === "delivered")
    return <Told look="good" texts={[t("The test came through."), ...outcome]} />;
  if (delivery.attempts === 0) return <Told look="" texts={[t("The test is being sent…")]} />;
  return <Told look="bad" texts={[t("The test failed."), ...outcome]} />;
}

function Told({ look, texts }: { readonly look: string; readonly texts: readonly string[] }) {
  return (
    <div class={`notice ${look}`}>
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
