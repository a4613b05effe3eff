import { Labelled } from "./labelled.tsx";

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  /** The initial value. */
  readonly value?: string;
  readonly hint?: string;
  readonly onChoose?: (value: string) => void;
}

/** A labelled select. */
export function Choice({ label, name, options, value = "", hint, onChoose }: ChoiceProps) {
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(control) => (
        <select
          {...control}
          class="input"
          name={name}
          onChange={(event) => onChoose?.(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface LinesProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
  readonly maxLength?: number;
}

/** A labelled textarea. */
export function Lines({ label, name, value = "", hint, maxLength }: LinesProps) {
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(control) => (
        <textarea
          {...control}
          class="input lines"
          name={name}
          rows={3}
          defaultValue={value}
          {...(maxLength === undefined ? {} : { maxLength })}
        />
      )}
    </Labelled>
  );
}
