import type { MemberRole, Plan } from "./roles.ts";
import { invalid } from "../errors.ts";
import type { UserId, UserPk } from "../id.ts";
import type { Language } from "./language.ts";
import { slugified } from "../contents/texts/text.ts";
import type { NamedActor } from "../changes/change.ts";

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Candidates for a username, best first. */
  readonly names: readonly (string | null)[];
  readonly email: string | null;
  readonly displayName: string | null;
}

/**
 * Why a user is an administrator: they set the server up (link, command line), another one made them one, or the
 * configuration lists them.
 */
export type AdminBy = "setup" | "listed";

export interface User {
  readonly pk: UserPk;
  readonly id: UserId;
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly plan: Plan;
  readonly admin: AdminBy | null;
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  /** Since when the user is disabled: no session and no key works; null if enabled. */
  readonly disabledAt: number | null;
  /** Of the dashboard; null for the one that the browser asks for. */
  readonly language: Language | null;
}

const USERNAME = /^[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]$/;
const USERNAME_CHARACTERS = { least: 3, most: 32 };

/** A username: 3 to 32 of `a-z 0-9 -`, with a letter or digit at both ends. */
export function parseUsername(field: string, text: string): string {
  if (!USERNAME.test(text)) {
    throw invalid(field, "must have 3 to 32 of a-z, 0-9 and -, and a letter or digit at both ends");
  }
  return text;
}

/** From the first of `names` that yields one, else `user`; perhaps taken. Of an e-mail address the part before `@`. */
export function proposeUsername(names: readonly (string | null)[]): string {
  for (const name of names) {
    // Names come from a provider and may be of any length.
    const [local = ""] = (name ?? "").slice(0, 256).split("@");
    const username = fit(slugified(local), USERNAME_CHARACTERS.most);
    if (username.length >= USERNAME_CHARACTERS.least) return username;
  }
  return "user";
}

/** `ada` and 2 make `ada-2`, still a username. */
export function numberedUsername(username: string, n: number): string {
  const suffix = `-${n}`;
  return fit(username, USERNAME_CHARACTERS.most - suffix.length) + suffix;
}

function fit(text: string, most: number): string {
  return text.slice(0, most).replace(/-+$/, "");
}

export interface Member {
  readonly userId: UserId;
  readonly username: string;
  readonly role: MemberRole;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly createdBy: NamedActor | null;
}
