import logIcon from "lucide-static/icons/scroll-text.svg" with { type: "text" };
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { type AuditFilter, listAuditEvents, readAuditFilter } from "../lib/audit.ts";
import { useLoad } from "../lib/api/load.ts";
import { usePages } from "../lib/api/pages.ts";
import { useSession } from "../lib/api/session.tsx";
import type { User } from "../lib/api/types.ts";
import { useStyle } from "../lib/browser/style.ts";
import { byDay } from "../lib/by-day.ts";
import { getServer, valueOf } from "../lib/server.ts";
import { listUsers } from "../lib/users.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { plural, t } from "../lib/words/text.ts";
import style from "./audit/audit.css" with { type: "text" };
import { EventRow } from "./audit/event-row.tsx";
import { AuditFilters } from "./audit/filters.tsx";
import { Tools } from "./audit/tools.tsx";

const NOBODY: readonly User[] = [];

interface AuditProps {
  /** Of the address, with the filters. */
  readonly query: URLSearchParams;
}

/** The audit log; for administrators. Nobody else is told that there is such a page. */
export function Audit({ query }: AuditProps) {
  const { account } = useSession();
  return account.admin ? <WholeLog query={query} /> : <NotFound />;
}

function WholeLog({ query }: AuditProps) {
  useStyle(style);
  const { loaded } = useLoad("users", listUsers);
  // Without an answer, names lead to nobody and are not offered.
  const users = loaded.state === "ready" ? loaded.value : NOBODY;
  const filter = readAuditFilter(query);
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{t("Audit log")}</h1>
        <p class="soft">
          {t("What was done to accounts, keys, shares and the server, and what was refused.")}
          <Kept />
        </p>
      </div>
      <AuditFilters filter={filter} users={users} />
      <Events key={String(query)} filter={filter} users={users} />
    </>
  );
}

/** For how long events are kept, as the server's settings say. */
function Kept() {
  const { loaded } = useLoad("server", getServer);
  const settings = loaded.state === "ready" ? loaded.value.settings : [];
  const setting = settings.find(({ name }) => name === "audit_days");
  if (setting === undefined) return null;
  const days = Number(valueOf(setting));
  return (
    <>
      {sentenceSpace()}
      {plural(days, "Events are kept for {count} day.", "Events are kept for {count} days.")}
    </>
  );
}

interface EventsProps {
  readonly filter: AuditFilter;
  readonly users: readonly User[];
}

function Events({ filter, users }: EventsProps) {
  const { loaded, reload, more } = usePages("events", (part, signal) =>
    listAuditEvents(filter, part, signal),
  );
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { data: events, hasMore } = loaded.value;
  return (
    <>
      <Tools filter={filter} onRefresh={reload} />
      {events.length === 0 && <Nothing isFiltered={Object.values(filter).some((value) => value !== "")} />}
      {byDay(events).map(({ day, entries }) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ul class="list">
            {entries.map((event) => (
              <EventRow key={event.id} event={event} users={users} />
            ))}
          </ul>
        </section>
      ))}
      {hasMore && <ShowMore onMore={more} />}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty svg={logIcon} title={isFiltered ? t("Nothing found") : t("Nothing has happened yet")}>
      <p class="soft">
        {isFiltered
          ? t("Nothing that is still on record fits these filters.")
          : t("Sign-ins, refusals, and changes of users, keys, shares and settings are listed here.")}
      </p>
    </Empty>
  );
}
