import { type PlainMessage, t } from "./text.ts";

/** One of several that somebody chooses from. `t()` is to show its text. */
export interface MarkedOption<Value extends string = string> {
  readonly value: Value;
  readonly text: PlainMessage;
}

/** What can be chosen, in the language that is shown. */
export function optionsOf(marked: readonly MarkedOption[]): { value: string; text: string }[] {
  return marked.map(({ value, text }) => ({ value, text: t(text) }));
}
