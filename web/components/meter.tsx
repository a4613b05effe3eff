import type { Figure } from "../lib/api/types.ts";
import { t } from "../lib/words/text.ts";

interface MeterProps {
  readonly label: string;
  readonly figure: Figure;
  readonly format: (value: number) => string;
}

/** The share from which a bar shows a warning. */
const NEARLY_FULL = 0.9;

/** How much of something is used: a figure with its limit below it and, if there is one, a bar. */
export function Meter({ label, figure: { used, limit }, format }: MeterProps) {
  const share = limit === null ? null : limit === 0 ? 1 : Math.min(used / limit, 1);
  return (
    <div class="meter">
      <p class="meter-label">{label}</p>
      <p class="meter-figure">{format(used)}</p>
      <p class="soft">
        {limit === null || share === null
          ? t("No limit")
          : t("of {limit} · {percent} %", { limit: format(limit), percent: percentOf(share) })}
      </p>
      {limit !== null && share !== null && (
        <div
          class={`bar ${fullness(share)}`}
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={t("{done} of {total}", { done: format(used), total: format(limit) })}
        >
          <span style={{ inlineSize: `${share * 100}%` }} />
        </div>
      )}
    </div>
  );
}

function fullness(share: number): string {
  if (share >= 1) return "full";
  return share >= NEARLY_FULL ? "nearly-full" : "";
}

/** Rounded down, so that only a full bar says 100 %. */
function percentOf(share: number): number {
  return Math.floor(share * 100);
}
