import { formatUtcDay } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { scaleOf, sumOf } from "../../lib/usage.ts";
import type { NamedSeries } from "./day-table.tsx";

/** How much of the width of a day its bar takes. */
const BAR = 0.72;
/** How high the drawing is, in its own units. */
const HEIGHT = 100;

interface DayChartProps {
  /** Dates in UTC. */
  readonly days: readonly string[];
  readonly series: readonly NamedSeries[];
  readonly inBytes: boolean;
  readonly format: (value: number) => string;
  /** The index of the day that is looked at. */
  readonly day: number;
  readonly onDay: (index: number) => void;
}

/**
 * A bar for each day, of a part for each series. An invisible range input lies over it: the keys of that, the pointer
 * and screen readers choose the day whose values stand beside the names.
 */
export function DayChart({ days, series, inBytes, format, day, onDay }: DayChartProps) {
  const sums = days.map((_, index) => sumOf(series.map(({ values }) => values[index] ?? 0)));
  const scale = scaleOf(Math.max(...sums), inBytes);
  const top = scale.at(-1) ?? 1;
  const shown = days[day] ?? "";
  const amount = format(sums[day] ?? 0);
  return (
    <div class="day-chart">
      <div class="day-scale" aria-hidden="true">
        {scale.map((value) => (
          <span key={value} style={{ insetBlockEnd: `${(value / top) * 100}%` }}>
            {format(value)}
          </span>
        ))}
      </div>
      <div class="day-plot">
        <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {scale.map((value) => (
            <line
              key={value}
              x1="0"
              x2={days.length}
              y1={HEIGHT * (1 - value / top)}
              y2={HEIGHT * (1 - value / top)}
            />
          ))}
          <rect class="day-chosen" x={day} y="0" width="1" height={HEIGHT} />
          {days.map((each, index) => (
            <Bar key={each} index={index} parts={series.map(({ values }) => (values[index] ?? 0) / top)} />
          ))}
        </svg>
        <input
          type="range"
          min={0}
          max={days.length - 1}
          value={day}
          aria-label={t("Day")}
          aria-valuetext={t("{day}: {amount}", { day: formatUtcDay(shown), amount })}
          onInput={({ currentTarget }) => onDay(currentTarget.valueAsNumber)}
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const index = Math.floor(((clientX - left) / width) * days.length);
            if (index >= 0 && index < days.length) onDay(index);
          }}
        />
      </div>
      <div class="day-names" aria-hidden="true">
        {[days[0], days[Math.floor(days.length / 2)], days.at(-1)].map((each = "") => (
          <span key={each}>{formatUtcDay(each)}</span>
        ))}
      </div>
    </div>
  );
}

/** One day: its parts, from the bottom up, as shares of the height. */
function Bar({ index, parts }: { readonly index: number; readonly parts: readonly number[] }) {
  let below = 0;
  return (
    <>
      {parts.map((part, place) => {
        below += part;
        return part === 0 ? null : (
          <rect
            key={place}
            class={`series-${place}`}
            x={index + (1 - BAR) / 2}
            y={HEIGHT * (1 - below)}
            width={BAR}
            height={HEIGHT * part}
          />
        );
      })}
    </>
  );
}
