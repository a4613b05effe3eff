import type { Finding } from "../domain/upkeep/finding.ts";

/** What a verification says while it runs. */
export type VerifyEvent =
  | ({ readonly kind: "finding" } & Finding)
  /** Something that was wrong, and no longer is. */
  | { readonly kind: "repaired"; readonly about: string }
  /** Nothing wrong, but worth knowing. */
  | { readonly kind: "note"; readonly about: string }
  /** How many contents have been checked, of how many, and their bytes. */
  | { readonly kind: "progress"; readonly contents: number; readonly of: number; readonly bytes: number };
