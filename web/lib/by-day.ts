import { formatDay } from "./words/format.ts";

/** What happened on one day, in the reader's zone. */
export interface Day<T> {
  readonly day: string;
  readonly entries: readonly T[];
}

/** The entries of each day, in the order they came in. */
export function byDay<T extends { readonly at: string }>(entries: readonly T[]): readonly Day<T>[] {
  const days: { readonly day: string; readonly entries: T[] }[] = [];
  for (const entry of entries) {
    const day = formatDay(entry.at);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}
