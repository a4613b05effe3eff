import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ApiError } from "../../lib/api/api.ts";
import { nameProblem } from "../../lib/files.ts";
import { t } from "../../lib/words/text.ts";
import { textOf } from "./form.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Labelled } from "./labelled.tsx";

interface NameDialogProps {
  readonly title: string;
  readonly submit: string;
  /** The name so far. */
  readonly value: string;
  readonly onName: (name: string) => Promise<void>;
  readonly onClose: () => void;
  /** What is to be known before. */
  readonly children?: ComponentChildren;
}

/** Asks for the name of a file or folder. */
export function NameDialog({ value, onName, children, ...dialog }: NameDialogProps) {
  return (
    <FormDialog {...dialog} onSubmit={(values) => onName(requiredName(values))}>
      {children}
      <NameField value={value} />
    </FormDialog>
  );
}

function requiredName(values: FormData): string {
  const name = textOf(values, "name").trim().normalize("NFC");
  const problem = nameProblem(name);
  if (problem !== null) throw new ApiError(0, "VALIDATION_ERROR", problem, "name");
  return name;
}

/** The name, its part before the ending selected, as one most often wants to change that. */
function NameField({ value }: { readonly value: string }) {
  const input = useRef<HTMLInputElement>(null);
  // Before the dialog is there to be typed in: later, it would select what has been typed by then.
  useLayoutEffect(() => {
    const dot = value.lastIndexOf(".");
    input.current?.setSelectionRange(0, dot > 0 ? dot : value.length);
  }, []);
  return (
    <Labelled label={t("Name")} name="name">
      {(control) => (
        <input
          {...control}
          ref={input}
          class="input"
          type="text"
          name="name"
          required
          autocomplete="off"
          dir="auto"
          defaultValue={value}
        />
      )}
    </Labelled>
  );
}
