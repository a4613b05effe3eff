import type { ComponentChildren } from "preact";
import { type FieldControl, useFieldIds } from "../../lib/api/form-failure.ts";

interface LabelledProps {
  readonly label: string;
  /** The control's name, which the API's errors use. */
  readonly name: string;
  readonly hint?: string | undefined;
  /** Renders the control. Its argument connects it to the label and hint. */
  readonly children: (control: FieldControl) => ComponentChildren;
}

/** A field of a form: a control between its label and its hint. */
export function Labelled({ label, name, hint, children }: LabelledProps) {
  const { control, hintId } = useFieldIds(name, hint !== undefined);
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      {children(control)}
      {hint !== undefined && (
        <small id={hintId} class="soft">
          {hint}
        </small>
      )}
    </div>
  );
}
