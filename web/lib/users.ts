import type { Plan } from "../../src/domain/accounts/roles.ts";
import { call } from "./api/api.ts";
import type { User } from "./api/types.ts";

/** What somebody new signs in with, or somebody whose password was reset. */
export interface SignInDetails {
  readonly username: string;
  readonly password: string;
}

type UserChange =
  | { readonly plan: Plan }
  | { readonly disabled: boolean }
  | { readonly admin: boolean }
  | { readonly password: string };

/** All users of the server, for administrators. */
export async function listUsers(signal: AbortSignal): Promise<readonly User[]> {
  return (await call<{ data: User[] }>("GET", "/v0/users", { signal })).data;
}

/** Changes a user, as administrators may. */
export function changeUser({ id }: User, body: UserChange): Promise<unknown> {
  return call("PATCH", `/v0/users/${id}`, { body });
}

/** 32 letters and digits that are hard to confuse: 20 of them hold 100 bits. */
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/** A temporary password. */
export function randomPassword(): string {
  const numbers = crypto.getRandomValues(new Uint8Array(20));
  const letters = Array.from(numbers, (number) => LETTERS[number % LETTERS.length] ?? "").join("");
  return letters.replaceAll(/.{5}(?=.)/g, "$&-");
}
