import type { Plan } from "./caller.ts";
import { invalid } from "./errors.ts";
import type { UserId, UserPk } from "./id.ts";

/** A person with an account. */
export interface User {
  readonly pk: UserPk;
  readonly id: UserId;
  readonly username: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly plan: Plan;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const USERNAME = /^[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]$/;

/** A username: 3 to 32 of `a-z 0-9 -`, neither starting nor ending with a hyphen. */
export function parseUsername(field: string, text: string): string {
  if (!USERNAME.test(text)) {
    throw invalid(field, "must have 3 to 32 of a-z, 0-9 and -, and a letter or digit at both ends");
  }
  return text;
}
