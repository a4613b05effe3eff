import { storageOf } from "./storage.ts";

const KEPT_AS = "coffer:drive";

/** Keeps, in this tab, which drive one was in. */
export function rememberDrive(id: string): void {
  storageOf("sessionStorage")?.setItem(KEPT_AS, id);
}

/** The id of the drive that one was in last, in this tab; null if in none. */
export function lastDrive(): string | null {
  return storageOf("sessionStorage")?.getItem(KEPT_AS) ?? null;
}
