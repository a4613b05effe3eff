import { createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import type { ApiError } from "./api.ts";

/** Which field of a form the server refused. */
export interface FormFailure {
  /** The field's name; undefined where the error names none. */
  readonly field: string | undefined;
  /** The id of the element with the error message. */
  readonly id: string;
}

/** The name of the field that an error is about: `tags` where the API says `tags[2]`. */
export function fieldOf(error: ApiError): string | undefined {
  return error.field?.replace(/[.[].*$/s, "");
}

/** Null while the form has not been refused. */
export const FormFailureContext = createContext<FormFailure | null>(null);

/** Attributes that connect a control to its label, its hint and its error message. */
export interface FieldControl {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** Ids that connect the parts of a field: `control` for the control, `hintId` for its hint, if it has one. */
export function useFieldIds(
  name: string,
  hasHint: boolean,
): { readonly control: FieldControl; readonly hintId: string } {
  const id = useId();
  const failure = useContext(FormFailureContext);
  const hintId = `${id}-hint`;
  const isRefused = failure !== null && failure.field === name;
  const described = [...(isRefused ? [failure.id] : []), ...(hasHint ? [hintId] : [])].join(" ");
  return {
    hintId,
    control: {
      id,
      ...(described === "" ? {} : { "aria-describedby": described }),
      ...(isRefused ? { "aria-invalid": true } : {}),
    },
  };
}
