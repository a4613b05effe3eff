import type { Caller } from "../domain/accounts/caller.ts";
import { CofferError } from "../domain/errors.ts";
import type { Access } from "./access.ts";

/**
 * Whether something long may go on: the caller's key or session is still valid, and it sees these drives (ids or
 * slugs).
 */
export function mayGoOn(access: Access, caller: Caller, drives: readonly string[]): boolean {
  try {
    access.requireValid(caller);
  } catch (error) {
    if (error instanceof CofferError) return false;
    throw error;
  }
  return drives.every((drive) => access.findDrive(caller, drive) !== null);
}
