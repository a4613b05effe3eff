import { useMemo, useState } from "preact/hooks";
import { hasOverrides } from "../../lib/overrides.ts";

/** A text with a longer line is wrapped from the start. */
const LONG_LINE = 1000;
/** More lines take a browser seconds to lay out. */
const MOST_LINES = 50_000;

interface LinesViewProps {
  readonly text: string;
  /** Whether lines are wrapped from the start, however long they are. */
  readonly isWrapped?: boolean;
}

/** A text as it is. Its lines are numbered, unless they are wrapped. */
export function LinesView({ text, isWrapped: isParagraphs = false }: LinesViewProps) {
  const { shown, numbers, longest, isCut } = useMemo(() => measure(text), [text]);
  const [isWrapped, setWrapped] = useState(isParagraphs || longest > LONG_LINE);
  return (
    <>
      {hasOverrides(text) && (
        <p class="notice careful preview-note">
          This text has invisible characters that change its reading order. It may not say what it seems to
          say.
        </p>
      )}
      {isCut && (
        <p class="notice careful preview-note">
          Showing the first {MOST_LINES.toLocaleString()} lines. Download the file to see the rest.
        </p>
      )}
      <div class="preview-bar">
        <label class="row">
          <input
            type="checkbox"
            checked={isWrapped}
            onChange={(event) => setWrapped(event.currentTarget.checked)}
          />
          Wrap lines
        </label>
      </div>
      <div class="preview-body preview-lines" tabIndex={0} role="region" aria-label="Text">
        {!isWrapped && (
          <pre class="preview-numbers" aria-hidden="true">
            {numbers}
          </pre>
        )}
        <pre class={isWrapped ? "preview-text wrapped" : "preview-text"}>{shown}</pre>
      </div>
    </>
  );
}

interface Measured {
  readonly shown: string;
  readonly numbers: string;
  /** Characters. */
  readonly longest: number;
  readonly isCut: boolean;
}

function measure(text: string): Measured {
  const lines = text.split("\n");
  // A line break at the end begins no further line.
  if (lines.at(-1) === "") lines.pop();
  const isCut = lines.length > MOST_LINES;
  if (isCut) lines.length = MOST_LINES;
  return {
    shown: isCut ? lines.join("\n") : text,
    isCut,
    numbers: lines.map((_, at) => at + 1).join("\n"),
    longest: lines.reduce((most, { length }) => Math.max(most, length), 0),
  };
}
