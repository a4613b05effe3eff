import type { Figure } from "../lib/api/types.ts";

interface MeterProps {
  readonly label: string;
  readonly figure: Figure;
  readonly format: (value: number) => string;
}

/** The share from which a bar shows a warning. */
const NEARLY_FULL = 0.9;

/** Usage as a bar against its limit, or as text alone where there is no limit. */
export function Meter({ label, figure: { used, limit }, format }: MeterProps) {
  if (limit === null) {
    return (
      <div class="meter">
        <span class="meter-label">{label}</span>
        <span>
          {format(used)}
          <span class="soft">, no limit</span>
        </span>
      </div>
    );
  }
  const share = limit === 0 ? 1 : Math.min(used / limit, 1);
  const words = `${format(used)} of ${format(limit)}`;
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span>
        {words}
        <span class="soft"> · {percent(share)}</span>
      </span>
      <div
        class={`bar ${fullness(share)}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={words}
      >
        <span style={{ inlineSize: `${share * 100}%` }} />
      </div>
    </div>
  );
}

function fullness(share: number): string {
  if (share >= 1) return "full";
  return share >= NEARLY_FULL ? "nearly-full" : "";
}

/** Rounded down, so that only a full bar says 100 %. */
function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
