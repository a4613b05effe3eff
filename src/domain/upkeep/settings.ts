import type { Plan } from "../accounts/roles.ts";

/** What administrators may change while the server runs, unless a flag or the environment says it. */
export interface ChangeableSettings {
  /** What the server is called, for people. */
  readonly name: string;
  /** Whether people can register with a password. */
  readonly signups: "open" | "closed";
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  /** Bytes; null for no limit. */
  readonly storageLimits: Readonly<Record<Plan, number | null>>;
  /** How long earlier versions and deleted files are kept; 0 for not at all. */
  readonly keepDays: number;
  /** How many earlier versions of one file are kept. */
  readonly keepVersions: number;
}

/** Where the value of a setting is from. Who administers the server stored it; all others are of its start. */
export const SETTING_SOURCES = ["default", "stored", "environment", "flag"] as const;

export type SettingSource = (typeof SETTING_SOURCES)[number];

/** A setting, as it was at the start. */
export interface GivenSetting {
  /** As in the API: `keep_days`. */
  readonly name: string;
  /** `keep-days` */
  readonly flag: string;
  /** `COFFER_KEEP_DAYS` */
  readonly variable: string;
  readonly help: string;
  /** The default, in words where it is no value. */
  readonly fallback: string;
  readonly source: Exclude<SettingSource, "stored">;
  /** As it was given; null if it was not, or is a secret. */
  readonly text: string | null;
  readonly isSecret: boolean;
  readonly isChangeable: boolean;
}

/** Whether the command line or the environment says what a setting is: then it cannot be changed elsewhere. */
export function isGiven({ source }: Pick<GivenSetting, "source">): boolean {
  return source !== "default";
}

/** Stored texts, as they were read: one that is no value of its setting counts as none. */
export interface ReadSettings {
  readonly settings: ChangeableSettings;
  /** What is wrong with texts, by the names of their settings; each completes the sentence "{name} ...". */
  readonly problems: ReadonlyMap<string, string>;
}
