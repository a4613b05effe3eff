import type { Caller } from "../domain/accounts/caller.ts";
import { CofferError } from "../domain/errors.ts";
import type { Access } from "./access.ts";

/**
 * Whether what is sent to a caller for long may go on: its key or session is still valid, and it still sees these drives.
 *
 * @param drives ids or slugs
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
