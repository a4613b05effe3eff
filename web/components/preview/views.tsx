import { t } from "../../lib/words/text.ts";

interface ViewsProps {
  readonly names: readonly string[];
  /** The index in `names` of the view that is shown. */
  readonly current: number;
  readonly onChange: (at: number) => void;
}

/** Chooses between the ways a file can be shown. */
export function Views({ names, current, onChange }: ViewsProps) {
  return (
    <div class="row preview-bar" role="group" aria-label={t("Show as")}>
      {names.map((name, at) => (
        <button
          key={name}
          type="button"
          class="button quiet"
          aria-pressed={at === current}
          onClick={() => onChange(at)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
