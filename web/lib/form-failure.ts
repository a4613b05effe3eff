import { createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import type { ApiError } from "./api.ts";

/** Why a form was refused, for the field that it was refused for. */
export interface FormFailure {
  /** The name of that field. */
  readonly field: string | undefined;
  /** The id of the element that says it in words. */
  readonly id: string;
}

/** The name of the field that a refusal is about: `tags` for `tags[2]`, as the API says it. */
export function fieldOf(error: ApiError): string | undefined {
  return error.field?.replace(/[.[].*$/s, "");
}

/** Null while the form has not been refused. */
export const FormFailureContext = createContext<FormFailure | null>(null);

/** Properties of a control that tie it to its label, its hint, and to what is said when it was refused. */
export interface FieldControl {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** What ties a field of a form together; `hintId` is for the hint, where it has one. */
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
