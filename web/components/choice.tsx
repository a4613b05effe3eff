import { useFieldIds } from "../lib/form-failure.ts";

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
  const { control, hintId } = useFieldIds(name, hint !== undefined);
  return (
    <div class="field">
      <label for={control.id} class="field-name">
        {label}
      </label>
      <select {...control} class="input" name={name}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <small id={hintId} class="soft">
          {hint}
        </small>
      )}
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
  const { control, hintId } = useFieldIds(name, hint !== undefined);
  return (
    <div class="field">
      <label for={control.id} class="field-name">
        {label}
      </label>
      <textarea
        {...control}
        class="input lines"
        name={name}
        rows={3}
        defaultValue={value}
        {...(maxLength === undefined ? {} : { maxLength })}
      />
      {hint !== undefined && (
        <small id={hintId} class="soft">
          {hint}
        </small>
      )}
    </div>
  );
}
