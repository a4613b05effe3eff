import type { ComponentChildren } from "preact";
import { type FieldControl, useFieldIds } from "../lib/form-failure.ts";

interface LabelledProps {
  readonly label: string;
  /** The control's, by which a refusal names it. */
  readonly name: string;
  readonly hint?: string | undefined;
  /** The control; what it is given ties it to its label and hint. */
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
