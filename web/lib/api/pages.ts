import { useState } from "preact/hooks";
import { type Loaded, useLoad } from "./load.ts";
import type { CursorPage } from "./types.ts";

/** Entries shown at first, and added with each press. */
const STEP = 100;
const MOST_A_REQUEST = 1000;

/** What of a list is asked for at once: a limit, and the cursor where it goes on. */
export type Part = Readonly<Record<string, string>>;

/** The first entries of a long list. */
interface FirstEntries<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** The first entries of a list that is loaded by cursors; more of them when `more` is called. */
export function usePages<T>(
  key: string,
  read: (part: Part, signal: AbortSignal) => Promise<CursorPage<T>>,
): { readonly loaded: Loaded<FirstEntries<T>>; readonly reload: () => void; readonly more: () => void } {
  const [wanted, setWanted] = useState(STEP);
  const { loaded, reload } = useLoad(`${key} ${wanted}`, async (signal) => {
    const data: T[] = [];
    let cursor: string | null = null;
    do {
      const limit = String(Math.min(MOST_A_REQUEST, wanted - data.length));
      const page: CursorPage<T> = await read(cursor === null ? { limit } : { limit, cursor }, signal);
      data.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && data.length < wanted);
    return { data, hasMore: cursor !== null };
  });
  return { loaded, reload, more: () => setWanted((before) => before + STEP) };
}
