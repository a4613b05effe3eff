// What the API answers, as far as the dashboard reads it.

/** What the limits of an account go by. */
export const PLANS = ["free", "pro", "team"] as const;
/** One of `PLANS`. */
export type Plan = (typeof PLANS)[number];

/** The account of whoever is signed in. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly plan: Plan;
  /** Whether it is an administrator's. */
  readonly admin: boolean;
  readonly has_password: boolean;
  readonly drive_count: number;
  readonly limits: {
    readonly requests_per_minute: number;
    readonly storage_bytes: number | null;
    readonly max_file_size: number;
  };
  readonly created_at: string;
}

/** How people get in here. */
export interface SignInOptions {
  /** Whether there is no administrator yet. */
  readonly setup: boolean;
  readonly provider: { readonly name: string } | null;
  readonly signups: boolean;
}

/** A browser that is signed in. */
export interface SessionRecord {
  readonly id: string;
  readonly user_agent: string;
  readonly current: boolean;
  readonly created_at: string;
  readonly last_used_at: string;
}

/** How much of something is used; `limit` is null where there is none. */
export interface Figure {
  readonly used: number;
  readonly limit: number | null;
}

/** What the account uses: storage now, the rest in the period. */
export interface Usage {
  readonly storage: Figure;
  readonly operations: Figure;
  readonly bandwidth: Figure;
  readonly period: { readonly start: string; readonly end: string };
}

/** A user as administrators see them. */
export interface User {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly plan: Plan;
  readonly admin: boolean;
  readonly has_password: boolean;
  readonly disabled: boolean;
  readonly drive_count: number;
  readonly total_size: number;
  readonly created_at: string;
}

/** What a claim link is for. */
export interface Claimable {
  readonly name: string;
  readonly file_count: number;
  readonly total_size: number;
  readonly expires_at: string | null;
  readonly created_at: string;
}

/** A drive of the account. */
export interface Drive {
  readonly id: string;
  readonly user_id: string | null;
  readonly name: string;
  readonly slug: string | null;
  readonly description: string;
  readonly file_count: number;
  readonly total_size: number;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A page of a list. */
export interface ListPage<T> {
  readonly data: readonly T[];
  /** On all pages. */
  readonly total: number;
}

/** A file; its size is in bytes. */
export interface FileRecord {
  readonly id: string;
  readonly drive_id: string;
  readonly path: string;
  readonly filename: string;
  readonly mime_type: string;
  readonly size: number;
  readonly content_hash: string;
  readonly content_preview: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A folder. */
export interface FolderRecord {
  readonly drive_id: string;
  /** Ends with a slash. */
  readonly path: string;
  /** Files in it and in all folders below. */
  readonly file_count: number;
  readonly total_size: number;
  readonly has_folders: boolean;
  readonly created_at: string;
}

/** A page of the folders that stand in a folder, in path order. */
export interface FoldersPage extends ListPage<FolderRecord> {
  readonly next_cursor: string | null;
}

/** A key, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly key_prefix: string;
  readonly name: string;
  readonly scope: "read-write" | "read-only";
  /** The one drive it reaches; null for all of the account's. */
  readonly drive_id: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}
