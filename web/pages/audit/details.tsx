import type { ComponentChildren } from "preact";
import { Name } from "../../components/name.tsx";
import { auditAddress } from "../../lib/audit.ts";
import type { AuditEvent } from "../../lib/api/types.ts";
import { Link } from "../../lib/browser/router.tsx";
import { detailName, detailValue } from "../../lib/words/audit-words.ts";
import { browserName } from "../../lib/words/browser-name.ts";
import { formatMoment } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";

/** All that is known of an event. */
export function Details({ event }: { readonly event: AuditEvent }) {
  const { action, actor, subject, count, at, last_at: lastAt, address, detail } = event;
  return (
    <dl class="facts audit-facts">
      <Fact label={count === 1 ? t("event|When") : t("The first time")}>
        <Moment at={at} />
      </Fact>
      {count > 1 && (
        <Fact label={t("The last time")}>
          <Moment at={lastAt} />
        </Fact>
      )}
      <Fact label={t("Action")}>
        <code>{action}</code>
      </Fact>
      {actor.username !== null && (
        <Fact label={t("Account")}>
          <Name text={actor.username} /> ·{" "}
          <Link to={auditAddress({ account: actor.username })}>{t("All events of this account")}</Link>
        </Fact>
      )}
      {address !== null && <Fact label={t("Address")}>{address}</Fact>}
      <Origin event={event} />
      {Object.entries(detail).map(([name, value]) => (
        <Fact key={name} label={detailName(name)}>
          <Name text={detailValue(value)} />
        </Fact>
      ))}
      {subject?.id !== undefined && subject.id !== null && (
        <Fact label={t("Identifier")}>
          <code>{subject.id}</code>
        </Fact>
      )}
    </dl>
  );
}

/** What sent the request, if it was one. */
function Origin({ event: { user_agent: userAgent, request_id: requestId } }: { readonly event: AuditEvent }) {
  return (
    <>
      {userAgent !== null && (
        <Fact label={t("Browser or program")}>
          <Name text={browserName(userAgent)} />
          {browserName(userAgent) !== userAgent && (
            <p class="soft">
              <Name text={userAgent} />
            </p>
          )}
        </Fact>
      )}
      {requestId !== null && (
        <Fact label={t("Request")}>
          <code>{requestId}</code>
        </Fact>
      )}
    </>
  );
}

function Moment({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatMoment(at)}</time>;
}

function Fact({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
