import { invalid } from "../../errors.ts";
import { utf8Length } from "../texts/text.ts";

/** A change of a text, as a caller wants it. */
export type Edit = (
  | {
      readonly op: "str_replace";
      readonly oldString: string;
      readonly newString: string;
      /** Whether every place is replaced; else there must be exactly one. */
      readonly replaceAll: boolean;
    }
  /** Puts lines after the line with this number; 0 for the start of the text. */
  | { readonly op: "insert"; readonly line: number; readonly text: string }
  /** Adds exactly this text at the end. */
  | { readonly op: "append"; readonly text: string }
) & {
  /** Where it is in the request, for errors, such as `edits[2].`; none for the request itself. */
  readonly place?: string;
};

/** Checks the texts of edits. Throws VALIDATION_ERROR for what no text can hold. */
export function requireEdits(edits: readonly Edit[]): void {
  for (const edit of edits) {
    const { place = "" } = edit;
    if (edit.op === "str_replace") {
      requireText(`${place}old_string`, edit.oldString);
      requireText(`${place}new_string`, edit.newString);
    } else requireText(`${place}text`, edit.text);
  }
}

/** How many bytes the texts of edits have, as UTF-8. */
export function sentBytes(edits: readonly Edit[]): number {
  return edits.reduce((sum, edit) => sum + utf8Length(textsOf(edit)), 0);
}

function textsOf(edit: Edit): string {
  return edit.op === "str_replace" ? edit.oldString + edit.newString : edit.text;
}

function requireText(field: string, text: string): void {
  if (!text.isWellFormed()) throw invalid(field, "must be well-formed Unicode, without lone surrogates");
  if (text.includes("\0")) throw invalid(field, "must not contain NUL");
}
