import type { KeyId, UserId } from "../id.ts";
import { DAY_MS } from "../time.ts";
import { ACCOUNT_WORDS, SERVER_KEY_WORDS, SERVER_WORDS } from "./usage-words.ts";

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

export const USAGE_COUNTS = ["requests", "clientErrors", "serverErrors", "received", "sent"] as const;

export const NO_USE: UsageCounts = { requests: 0, clientErrors: 0, serverErrors: 0, received: 0, sent: 0 };

/** Who did it, as a row has it: no id is one of the words. */
export type AccountWho = KeyId | (typeof ACCOUNT_WORDS)[number];
export type ServerWho = UserId | (typeof SERVER_WORDS)[number];
type ServerKeyWho = KeyId | (typeof SERVER_KEY_WORDS)[number];

const KEY_WORDS: readonly string[] = [...ACCOUNT_WORDS, ...SERVER_KEY_WORDS];

/** What somebody did on a day. */
export type DayCounts<Who> = UsageCounts & {
  /** The first millisecond of the day. */
  readonly day: number;
  readonly who: Who;
};

/** The same, with the name of the key or user: null if it is gone, and for a word. */
export type UsageDay<Who> = DayCounts<Who> & { readonly name: string | null };

/** What one did in an account, and whose that is. */
export type SomeonesDay = UsageDay<AccountWho> & {
  /** The number of the row. */
  readonly pk: number;
  readonly userId: UserId;
  readonly username: string;
};

/** What a key on a server did on a day, whose it is, and what those did for whom a word stands, of nobody alone. */
export type ServerKeyDay = UsageDay<ServerKeyWho> & {
  readonly userId: UserId | null;
  readonly username: string | null;
};

/** @param times -1 to take what the other did away */
export function plus(one: UsageCounts, other: UsageCounts, times: 1 | -1 = 1): UsageCounts {
  return {
    requests: one.requests + times * other.requests,
    clientErrors: one.clientErrors + times * other.clientErrors,
    serverErrors: one.serverErrors + times * other.serverErrors,
    received: one.received + times * other.received,
    sent: one.sent + times * other.sent,
  };
}

/** Whether it is a key, not a word. */
export function isKey(who: AccountWho | ServerKeyWho): who is KeyId {
  return !KEY_WORDS.includes(who);
}

/** Whether it is a user, not a word. */
export function isUser(who: ServerWho): who is UserId {
  return !SERVER_WORDS.some((word) => word === who);
}

/** The first millisecond of a day in UTC. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}
