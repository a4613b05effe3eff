import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLoad } from "../../lib/api/load.ts";
import { useStyle } from "../../lib/browser/style.ts";
import { isInBytes, lastDays, type Measure, seriesOf, type Usage } from "../../lib/usage.ts";
import { formatBytes, formatNumber } from "../../lib/words/format.ts";
import { mark, type PlainMessage, plural, t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Choice } from "../forms/choice.tsx";
import style from "./charts.css" with { type: "text" };
import { DayChart } from "./day-chart.tsx";
import { DayLegend, DayTable, type NamedSeries } from "./day-table.tsx";

const WORDS: Readonly<Record<Measure, PlainMessage>> = {
  requests: mark("Requests"),
  client_errors: mark("Refused requests"),
  server_errors: mark("Failed requests"),
  bytes_received: mark("Uploaded"),
  bytes_sent: mark("Downloaded"),
};

const MEASURES = ["requests", "client_errors", "server_errors", "bytes_received", "bytes_sent"] as const;
const PERIODS = [7, 30, 90];

interface DayUsageProps<Of extends Usage> {
  readonly load: (days: number, signal: AbortSignal) => Promise<readonly Of[]>;
  /** Who did it; null for all that have no series of their own. */
  readonly name: (of: Of | null) => string;
  /** What stands here before anything was done. */
  readonly empty: string;
  /** Whose are loaded, where that can be chosen, and the choice. */
  readonly of?: string;
  readonly choice?: ComponentChildren;
}

/** What was done on each of the last days, and by whom. */
export function DayUsage<Of extends Usage>({ load, name, empty, of = "", choice }: DayUsageProps<Of>) {
  useStyle(style);
  const [measure, setMeasure] = useState<Measure>("requests");
  const [period, setPeriod] = useState(30);
  const { loaded, reload } = useLoad(`usage ${period} ${of}`, async (signal) => ({
    days: lastDays(period, Date.now()),
    entries: await load(period, signal),
  }));
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { days, entries } = loaded.value;
  if (entries.length === 0) return <p class="soft">{empty}</p>;
  const series = seriesOf(entries, days, measure).map((each) => ({ ...each, name: name(each.of) }));
  return (
    <>
      <div class="chart-choices">
        <Choice
          label={t("Show")}
          name="measure"
          options={MEASURES.map((value) => ({ value, text: t(WORDS[value]) }))}
          value={measure}
          onChoose={(chosen) => setMeasure(MEASURES.find((each) => each === chosen) ?? measure)}
        />
        <Choice
          label={t("Period")}
          name="period"
          options={PERIODS.map((count) => ({
            value: `${count}`,
            text: plural(count, "Last {count} day", "Last {count} days"),
          }))}
          value={`${period}`}
          onChoose={(chosen) => setPeriod(Number(chosen))}
        />
        {choice}
      </div>
      {series.length === 0 ? (
        <p class="soft">{t("None in this period.")}</p>
      ) : (
        <Days key={days.length} days={days} series={series} measure={measure} />
      )}
    </>
  );
}

interface DaysProps {
  readonly days: readonly string[];
  readonly series: readonly NamedSeries[];
  readonly measure: Measure;
}

function Days({ days, series, measure }: DaysProps) {
  const [day, setDay] = useState(days.length - 1);
  const format = isInBytes(measure) ? formatBytes : formatNumber;
  const shown = { days, series, format };
  return (
    <>
      <DayChart {...shown} inBytes={isInBytes(measure)} day={day} onDay={setDay} />
      <DayLegend {...shown} day={day} />
      <DayTable {...shown} caption={t(WORDS[measure])} />
    </>
  );
}
