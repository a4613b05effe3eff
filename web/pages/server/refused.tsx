import type { ServerReport } from "../../lib/api/types.ts";
import { formatDay, formatNumber, formatTime } from "../../lib/words/format.ts";
import { mark, t } from "../../lib/words/text.ts";

type Day = ServerReport["refused"][number];

const KINDS = [
  { kind: "unauthorized", name: mark("Not signed in") },
  { kind: "forbidden", name: mark("Not allowed") },
  { kind: "rate_limited", name: mark("Too many") },
  { kind: "no_space", name: mark("No disk space") },
  { kind: "failed", name: mark("Failed") },
] as const;

/** How many requests were refused on which day, and why. */
export function Refused({ days, since }: { readonly days: readonly Day[]; readonly since: string }) {
  const shown = KINDS.filter(({ kind }) => days.some((day) => day[kind] > 0));
  return (
    <section aria-labelledby="refused" class="card">
      <h2 id="refused">{t("Refused requests")}</h2>
      {days.length === 0 ? (
        <p class="soft">{t("None since {time}, when the server started.", { time: formatTime(since) })}</p>
      ) : (
        // A keyboard can only scroll what has the focus.
        <div class="server-table" role="region" aria-labelledby="refused" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("Day")}</th>
                {shown.map(({ kind, name }) => (
                  <th key={kind} scope="col">
                    {t(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day) => (
                <tr key={day.day}>
                  <th scope="row">{dayOf(day)}</th>
                  {shown.map(({ kind }) => (
                    <td key={kind}>{formatNumber(day[kind])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** A day in UTC: its noon is on this day nearly everywhere. */
function dayOf({ day }: Day): string {
  return formatDay(`${day}T12:00:00Z`);
}
