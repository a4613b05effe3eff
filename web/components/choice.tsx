import { useId } from "preact/hooks";

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  /** What is chosen at first. */
  readonly value?: string;
  readonly hint?: string;
}

/** A labelled choice of one among several. */
export function Choice({ label, name, options, value = "", hint }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class="field-name">
        {label}
      </label>
      <select id={id} class="input" name={name}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
      {hint !== undefined && <small class="soft">{hint}</small>}
    </div>
  );
}

interface LinesProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
  readonly maxLength?: number;
}

/** A labelled text of several lines. */
export function Lines({ label, name, value = "", hint, maxLength }: LinesProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class="field-name">
        {label}
      </label>
      <textarea
        id={id}
        class="input lines"
        name={name}
        rows={3}
        defaultValue={value}
        {...(maxLength === undefined ? {} : { maxLength })}
      />
      {hint !== undefined && <small class="soft">{hint}</small>}
    </div>
  );
}
