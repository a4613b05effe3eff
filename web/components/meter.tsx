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
        <Bar
          label={label}
          share={share}
          fullness={fullnessOf(share)}
          text={t("{done} of {total}", { done: format(used), total: format(limit) })}
        />
      )}
    </div>
  );
}

interface BarProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly fullness?: "" | "nearly-full" | "full";
  /** Says the same in words. */
  readonly text: string;
}

export function Bar({ label, share, fullness = "", text }: BarProps) {
  return (
    <div
      class={`bar ${fullness}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={1}
      aria-valuenow={share}
      aria-valuetext={text}
    >
      <span style={{ inlineSize: `${share * 100}%` }} />
    </div>
  );
}

function fullnessOf(share: number): "" | "nearly-full" | "full" {
  if (share >= 1) return "full";
  return share >= NEARLY_FULL ? "nearly-full" : "";
}

/** Rounded down, so that only a full bar says 100 %. */
function percentOf(share: number): number {
  return Math.floor(share * 100);
}
