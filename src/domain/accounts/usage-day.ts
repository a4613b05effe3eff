import type { KeyId, UserId } from "../id.ts";
import { DAY_MS } from "../time.ts";
import { ACCOUNT_WORDS, SERVER_WORDS } from "./usage-words.ts";

/** What was done. */
export type UsageCounts = {
  readonly requests: number;
  /** How many of these were refused: 400 to 499. */
  readonly clientErrors: number;
  /** How many of these failed: 500 and above. */
  readonly serverErrors: number;
  /** Bytes of contents. */
  readonly received: number;
  readonly sent: number;
};

/** Who did it, as a row has it: no id is one of the words. */
export type AccountWho = KeyId | (typeof ACCOUNT_WORDS)[number];
export type ServerWho = UserId | (typeof SERVER_WORDS)[number];

/** What somebody did on a day. */
export type DayCounts<Who> = UsageCounts & {
  /** The first millisecond of the day. */
  readonly day: number;
  readonly who: Who;
};

/** The same, with the name of the key or user: null if it is gone, and for a word. */
export type UsageDay<Who> = DayCounts<Who> & { readonly name: string | null };

/** Whether it is a key, not a word. */
export function isKey(who: AccountWho): who is KeyId {
  return !ACCOUNT_WORDS.some((word) => word === who);
}

/** Whether it is a user, not a word. */
export function isUser(who: ServerWho): who is UserId {
  return !SERVER_WORDS.some((word) => word === who);
}

/** The first millisecond of a day in UTC. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}
