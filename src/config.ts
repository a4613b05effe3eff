import type { AllowedOrigins } from "./domain/network/allowed-origins.ts";
import type { BackupAddress } from "./domain/upkeep/backup-address.ts";
import type { Plan } from "./domain/accounts/plan.ts";
import type { Subnet } from "./domain/network/subnet.ts";
import { Reader } from "./config/reader.ts";
import type { Secret } from "./config/secret.ts";
import { NO_STORAGE_LIMITS, SETTINGS, variableOf } from "./config/settings.ts";

/** The configuration. Deeply frozen. */
export interface Config {
  /** Absolute. */
  readonly dataDir: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Null if not configured: links then begin with the address that the caller used. */
  readonly baseUrl: string | null;
  /** Null if not configured: as for `baseUrl`. */
  readonly claimBaseUrl: string | null;
  readonly keyPrefix: string;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  /** Bytes per account; null for no limit. */
  readonly storageLimits: Readonly<Record<Plan, number | null>>;
  readonly provisioning: "on" | "off";
  readonly provisionsPerHour: number;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Bytes in a second; 0 for no limit. */
  readonly minUploadSpeed: number;
  /** Bytes. */
  readonly diskReserve: number;
  /** How long earlier versions and deleted files are kept; 0 for not at all. */
  readonly keepDays: number;
  /** How many earlier versions of one file are kept. */
  readonly keepVersions: number;
  readonly signups: "open" | "closed";
  /** Null if accounts are local. */
  readonly oidc: OidcConfig | null;
  readonly trustedProxies: readonly Subnet[];
  readonly corsOrigins: AllowedOrigins;
  /** Where webhooks may be beside the public internet. */
  readonly webhookAddresses: readonly Subnet[];
  readonly sweepIntervalMs: number;
  /** Null if the server makes no backups by itself. */
  readonly backup: BackupAddress | null;
  readonly backupIntervalMs: number;
  readonly backupKeep: number;
  /** 0 for never. */
  readonly scrubIntervalMs: number;
  readonly logFormat: "pretty" | "json";
}

/** The OpenID Connect provider that users sign in with. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret<string>;
  /** The subjects of the provider's users who are administrators here. */
  readonly admins: readonly string[];
}

export interface ConfigSources {
  /** Flags by their name without dashes: `{"data-dir": "/srv/coffer"}`. They override the environment. */
  readonly flags: Readonly<Record<string, string>>;
  /** Whether the log goes to a terminal. */
  readonly isTerminal: boolean;
  /** The environment; by default that of the process. An empty variable counts as absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The configuration, or everything that is wrong with it. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** One sentence for each problem. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads and checks the whole configuration. A problem never contains a secret. */
export function loadConfig({ flags, isTerminal, env = process.env }: ConfigSources): ConfigResult {
  const reader = new Reader(flags, env);
  const config: Config = {
    dataDir: reader.required(SETTINGS.dataDir),
    host: reader.required(SETTINGS.host),
    port: reader.required(SETTINGS.port),
    baseUrl: reader.optional(SETTINGS.baseUrl),
    claimBaseUrl: reader.optional(SETTINGS.claimBaseUrl),
    keyPrefix: reader.required(SETTINGS.keyPrefix),
    rateLimits: reader.required(SETTINGS.rateLimits),
    storageLimits: reader.optional(SETTINGS.storageLimits) ?? NO_STORAGE_LIMITS,
    provisioning: reader.required(SETTINGS.provisioning),
    provisionsPerHour: reader.required(SETTINGS.provisionsPerHour),
    maxFileSize: reader.required(SETTINGS.maxFileSize),
    minUploadSpeed: reader.required(SETTINGS.minUploadSpeed),
    diskReserve: reader.required(SETTINGS.diskReserve),
    keepDays: reader.required(SETTINGS.keepDays),
    keepVersions: reader.required(SETTINGS.keepVersions),
    signups: reader.required(SETTINGS.signups),
    oidc: readOidc(reader),
    trustedProxies: reader.optional(SETTINGS.trustedProxies) ?? [],
    corsOrigins: reader.required(SETTINGS.corsOrigins),
    webhookAddresses: reader.optional(SETTINGS.webhookAddresses) ?? [],
    sweepIntervalMs: reader.required(SETTINGS.sweepInterval),
    backup: reader.optional(SETTINGS.backup),
    backupIntervalMs: reader.required(SETTINGS.backupInterval),
    backupKeep: reader.required(SETTINGS.backupKeep),
    scrubIntervalMs: reader.required(SETTINGS.scrubInterval),
    logFormat: reader.optional(SETTINGS.log) ?? (isTerminal ? "pretty" : "json"),
  };
  refuseBackupInside(config, reader);
  reader.reportUnknown();
  const { problems } = reader;
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: deepFreeze(config) };
}

/** A symbolic link may hide it; then the backup itself refuses. */
function refuseBackupInside({ backup, dataDir }: Config, reader: Reader): void {
  if (backup?.kind !== "directory" || !`${backup.path}/`.startsWith(`${dataDir}/`)) return;
  reader.problems.push(
    `${variableOf(SETTINGS.backup)} must not be in the data directory: the backups would be lost with it.`,
  );
}

function readOidc(reader: Reader): OidcConfig | null {
  const settings = [SETTINGS.oidcIssuer, SETTINGS.oidcClientId, SETTINGS.oidcClientSecret];
  const missing = settings.filter((setting) => !reader.isGiven(setting)).map(variableOf);
  if (missing.length > 0 && missing.length < settings.length) {
    reader.problems.push(
      `Sign-in with a provider needs ${settings.map(variableOf).join(", ")}; not set: ${missing.join(", ")}.`,
    );
  }
  const issuer = reader.optional(SETTINGS.oidcIssuer);
  const clientId = reader.optional(SETTINGS.oidcClientId);
  const clientSecret = reader.optional(SETTINGS.oidcClientSecret);
  const admins = reader.optional(SETTINGS.admins) ?? [];
  if (reader.isGiven(SETTINGS.admins) && missing.length === settings.length) {
    reader.problems.push(
      `${variableOf(SETTINGS.admins)} lists users of a sign-in provider, but no provider is set: it needs ${settings.map(variableOf).join(", ")}.`,
    );
  }
  return issuer === null || clientId === null || clientSecret === null
    ? null
    : { issuer, clientId, clientSecret, admins };
}

function deepFreeze<T extends object>(value: T): Readonly<T> {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
