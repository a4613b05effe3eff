import webhookIcon from "lucide-static/icons/webhook.svg" with { type: "text" };
import plusIcon from "lucide-static/icons/plus.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useActions } from "../components/actions.ts";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { Icon } from "../components/icon.tsx";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { useFeed } from "../lib/api/feed.ts";
import { useLoad } from "../lib/api/load.ts";
import { useLooks } from "../lib/api/looks.ts";
import type { Drive, Webhook } from "../lib/api/types.ts";
import { focusContent, useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { Link, navigate } from "../lib/browser/router.tsx";
import { useStyle } from "../lib/browser/style.ts";
import { listOwnDrives } from "../lib/drives.ts";
import { listWebhooks, webhookAddress } from "../lib/webhooks.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { t } from "../lib/words/text.ts";
import { NewWebhook } from "./webhooks/new.tsx";
import { OneWebhook } from "./webhooks/one.tsx";
import { WebhookRow } from "./webhooks/row.tsx";
import style from "./webhooks/webhooks.css" with { type: "text" };

interface WebhooksProps {
  readonly driveId: string | null;
  readonly query: URLSearchParams;
}

/** Who is told of changes: of one drive alone, or of all. With `webhook` in the address, one of them. */
export function Webhooks({ driveId, query }: WebhooksProps) {
  useStyle(style);
  const id = query.get("webhook");
  useContentFocus(id);
  const { loaded, reload } = useLoad("drives", listOwnDrives);
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const drives = loaded.value;
  if (id !== null) return <OneWebhook key={id} id={id} test={query.get("test")} drives={drives} />;
  const drive = drives.find((each) => each.id === driveId);
  return driveId !== null && drive === undefined ? (
    <NotFound />
  ) : (
    <WebhookList key={driveId} drive={drive} drives={drives} />
  );
}

/** Gives the content the focus where what had it is gone with a webhook: the path, which the shell follows, stays. */
function useContentFocus(id: string | null): void {
  const before = useRef(id);
  useLayoutEffect(() => {
    if (before.current === id) return;
    before.current = id;
    if (document.activeElement === document.body) focusContent();
  }, [id]);
}

interface ListProps {
  /** Undefined for all. */
  readonly drive: Drive | undefined;
  readonly drives: readonly Drive[];
}

function WebhookList({ drive, drives }: ListProps) {
  const driveId = drive?.id ?? null;
  const { loaded, reload } = useLoad("webhooks", (signal) => listWebhooks(driveId, signal));
  const [isMaking, setMaking] = useState(false);
  useFeed(driveId, reload);
  useLooks(loaded, reload);
  const webhooks = loaded.state === "ready" ? loaded.value : [];
  const heading = useHeadingAfterLoss(webhooks.length);
  const make = () => setMaking(true);
  useActions([{ name: t("New webhook"), svg: plusIcon, onChoose: make }]);
  return (
    <>
      <DriveHead title={t("Webhooks")} drive={drive} heading={heading}>
        {webhooks.length > 0 && <NewButton onClick={make} />}
      </DriveHead>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && webhooks.length === 0 && <NoWebhooks onMake={make} />}
      {webhooks.length > 0 && (
        <ul class="list">
          {webhooks.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              drive={drives.find(({ id }) => id === webhook.drive_id)}
            />
          ))}
        </ul>
      )}
      {drive !== undefined && (
        <p class="soft">
          {t("Webhooks of all your drives are told of this one as well.")}
          {sentenceSpace()}
          <Link to="/webhooks">{t("All webhooks")}</Link>
        </p>
      )}
      {isMaking && (
        <NewWebhook
          drives={drives}
          driveId={driveId}
          onClose={() => setMaking(false)}
          onDone={(made: Webhook) => navigate(webhookAddress(made))}
        />
      )}
    </>
  );
}

function NewButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" class="button primary" onClick={onClick}>
      <Icon svg={plusIcon} /> {t("New webhook")}
    </button>
  );
}

function NoWebhooks({ onMake }: { readonly onMake: () => void }) {
  return (
    <Empty svg={webhookIcon} title={t("No webhooks yet")}>
      <p class="soft">
        {t(
          "A webhook tells a server of yours what happens here, as soon as it happens: a file was added, a comment was written. Make one, then send a test to see it arrive.",
        )}
      </p>
      <NewButton onClick={onMake} />
    </Empty>
  );
}
