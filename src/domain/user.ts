import type { Plan } from "./caller.ts";
import { invalid } from "./errors.ts";
import type { UserId, UserPk } from "./id.ts";
import { slugified } from "./text.ts";

/**
 * Why a user is an administrator: they set the server up, with the setup link or from the shell, or the
 * configuration lists them.
 */
export type AdminBy = "setup" | "listed";

/** Somebody with an account. */
export interface User {
  readonly pk: UserPk;
  readonly id: UserId;
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly plan: Plan;
  /** Null for users who are no administrators. */
  readonly admin: AdminBy | null;
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  /** Since when neither sessions nor keys of the user work; null while they do. */
  readonly disabledAt: number | null;
}

const USERNAME = /^[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]$/;
const USERNAME_CHARACTERS = { least: 3, most: 32 };

/** A username: 3 to 32 of `a-z 0-9 -`, neither starting nor ending with a hyphen. */
export function parseUsername(field: string, text: string): string {
  if (!USERNAME.test(text)) {
    throw invalid(field, "must have 3 to 32 of a-z, 0-9 and -, and a letter or digit at both ends");
  }
  return text;
}

/**
 * A username made of the first of `names` that gives one, best first; `user` when none does. Of an
 * e-mail address the part before the `@` is taken. Whether it is free is for the caller to see.
 */
export function proposeUsername(names: readonly (string | null)[]): string {
  for (const name of names) {
    // Names come from elsewhere and may be of any length.
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
