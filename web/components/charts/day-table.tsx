import { formatUtcDay } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { type Series, sumOf } from "../../lib/usage.ts";
import { Visible } from "../name.tsx";

export interface NamedSeries extends Omit<Series<never>, "of"> {
  readonly name: string;
}

interface ShownDays {
  /** Dates in UTC. */
  readonly days: readonly string[];
  readonly series: readonly NamedSeries[];
  readonly format: (value: number) => string;
}

/** Which colour is whose, with the values of one day and of all. */
export function DayLegend({ days, series, format, day }: ShownDays & { readonly day: number }) {
  return (
    <table class="day-legend">
      <thead>
        <tr>
          <td />
          <th scope="col">{formatUtcDay(days[day] ?? "")}</th>
          <th scope="col">{t("All days")}</th>
        </tr>
      </thead>
      <tbody>
        {series.map(({ name, values, total }, place) => (
          <tr key={place}>
            <th scope="row">
              <span class="day-who">
                <span class={`swatch series-${place}`} aria-hidden="true" />
                <bdi>
                  <Visible text={name} />
                </bdi>
              </span>
            </th>
            <td>{format(values[day] ?? 0)}</td>
            <td>{format(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** All values, newest day first. */
export function DayTable({ days, series, format, caption }: ShownDays & { readonly caption: string }) {
  return (
    <details class="other-way">
      <summary>{t("Show as table")}</summary>
      <div class="day-table" role="region" aria-label={t("Values by day")} tabIndex={0}>
        <table>
          <caption class="hidden-visually">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Day (UTC)")}</th>
              {series.map(({ name }, place) => (
                <th key={place} scope="col">
                  <bdi>
                    <Visible text={name} />
                  </bdi>
                </th>
              ))}
              <th scope="col">{t("Together")}</th>
            </tr>
          </thead>
          <tbody>
            {days
              .map((day, index) => (
                <tr key={day}>
                  <th scope="row">{formatUtcDay(day)}</th>
                  {series.map(({ values }, place) => (
                    <td key={place}>{format(values[index] ?? 0)}</td>
                  ))}
                  <td>{format(sumOf(series.map(({ values }) => values[index] ?? 0)))}</td>
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      </div>
    </details>
  );
}
