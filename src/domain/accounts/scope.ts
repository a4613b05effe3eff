/** What a key may do: read and write, or only read. */
export const SCOPES = ["read-write", "read-only"] as const;
export type Scope = (typeof SCOPES)[number];
