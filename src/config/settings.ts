import { resolve } from "node:path";
import { parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import type { Plan } from "../domain/accounts/plan.ts";
import { DAY_MS } from "../domain/time.ts";
import { baseUrl, issuerUrl, listenHost, origins, subnets } from "./addresses.ts";
import { Secret } from "./secret.ts";
import {
  bytes,
  choice,
  duration,
  integer,
  matching,
  type Parser,
  perPlan,
  Problem,
  subjects,
} from "./values.ts";

interface Described<T> {
  /** As in `--data-dir`; `COFFER_DATA_DIR` is made from it. */
  readonly name: string;
  /** The placeholder for the value in the help: `--port NUMBER`. */
  readonly placeholder: string;
  /** One sentence without the full stop. */
  readonly help: string;
  /** Whether a problem must not quote the value, because it is or may contain a secret. */
  readonly sensitive?: true;
  readonly parse: Parser<T>;
}

/** A setting that always has a value; `fallback` is parsed like a given one. */
export interface RequiredSetting<T> extends Described<T> {
  readonly fallback: string;
}

/** A setting that may be absent; `fallback` describes that case for the help. */
export interface OptionalSetting<T> extends Described<T> {
  readonly optional: true;
  readonly fallback: string;
}

export type Setting<T> = RequiredSetting<T> | OptionalSetting<T>;

function required<T>(setting: RequiredSetting<T>): RequiredSetting<T> {
  return setting;
}

function optional<T>(setting: Omit<OptionalSetting<T>, "optional">): OptionalSetting<T> {
  return { ...setting, optional: true };
}

const RATE_LIMITS: Readonly<Record<Plan, number>> = { free: 60, pro: 300, team: 1000 };

/** Bytes per account if nothing is configured: no limit on any plan. */
export const NO_STORAGE_LIMITS: Readonly<Record<Plan, number | null>> = Object.freeze({
  free: null,
  pro: null,
  team: null,
});

const YEAR_MS = 365 * DAY_MS;

/** Every setting, in the order of the help. */
export const SETTINGS = {
  dataDir: required({
    name: "data-dir",
    placeholder: "PATH",
    fallback: "./data",
    help: "The directory for everything that Coffer stores",
    parse: (text) => resolve(text),
  }),
  host: required({
    name: "host",
    placeholder: "ADDRESS",
    fallback: "0.0.0.0",
    help: "The address to listen on; 127.0.0.1 for this machine only, :: for IPv6 as well",
    parse: listenHost,
  }),
  port: required({
    name: "port",
    placeholder: "NUMBER",
    fallback: "2633",
    help: "The port to listen on; 0 takes any free one",
    parse: integer(0, 65_535),
  }),
  baseUrl: optional({
    name: "base-url",
    placeholder: "URL",
    fallback: "none",
    help: "The address at which others reach this server; links begin with it. Without it, they begin with the address that the request was sent to",
    sensitive: true,
    parse: baseUrl,
  }),
  claimBaseUrl: optional({
    name: "claim-base-url",
    placeholder: "URL",
    fallback: "the base URL",
    help: "The address that claim links begin with",
    sensitive: true,
    parse: baseUrl,
  }),
  keyPrefix: required({
    name: "key-prefix",
    placeholder: "TEXT",
    fallback: "cof",
    help: "What API keys begin with",
    parse: matching(/^[a-z][a-z0-9]{0,15}$/, "have 1 to 16 of a-z and 0-9 and start with a letter"),
  }),
  rateLimits: required({
    name: "rate-limits",
    placeholder: "LIST",
    fallback: Object.entries(RATE_LIMITS)
      .map(([plan, limit]) => `${plan}=${limit}`)
      .join(","),
    help: "Requests a minute with one key, for each plan; all keys of an account together get four times as many. A plan that is left out keeps its default",
    parse: perPlan(RATE_LIMITS, integer(1, Number.MAX_SAFE_INTEGER)),
  }),
  storageLimits: optional({
    name: "storage-limits",
    placeholder: "LIST",
    fallback: "none",
    help: "Storage of an account for each plan, such as free=10GB,pro=1TB; a plan that is left out has no limit",
    parse: perPlan(NO_STORAGE_LIMITS, bytes(1)),
  }),
  provisioning: required({
    name: "provisioning",
    placeholder: "on|off",
    fallback: "on",
    help: "Whether agents may create a drive without an account",
    parse: choice("on", "off"),
  }),
  provisionsPerHour: required({
    name: "provisions-per-hour",
    placeholder: "NUMBER",
    fallback: "10",
    help: "Drives that one client address may create without an account in an hour",
    parse: integer(1, Number.MAX_SAFE_INTEGER),
  }),
  maxFileSize: required({
    name: "max-file-size",
    placeholder: "SIZE",
    fallback: "5GiB",
    help: "The largest file that may be uploaded",
    parse: bytes(1),
  }),
  minUploadSpeed: required({
    name: "min-upload-speed",
    placeholder: "SIZE",
    fallback: "1KiB",
    help: "How much of a file must arrive in a second, on average over a minute; 0 for no limit",
    parse: bytes(0),
  }),
  diskReserve: required({
    name: "disk-reserve",
    placeholder: "SIZE",
    fallback: "1GiB",
    help: "Disk space that uploads leave free",
    parse: bytes(0),
  }),
  keepDays: required({
    name: "keep-days",
    placeholder: "NUMBER",
    fallback: "30",
    help: "Days for which earlier versions of files, and deleted files, are kept; 0 keeps none",
    parse: integer(0, 36_500),
  }),
  keepVersions: required({
    name: "keep-versions",
    placeholder: "NUMBER",
    fallback: "50",
    help: "Earlier versions that are kept of one file; 0 keeps none",
    parse: integer(0, 10_000),
  }),
  signups: required({
    name: "signups",
    placeholder: "open|closed",
    fallback: "closed",
    help: "Whether people may register an account themselves, once there is an administrator",
    parse: choice("open", "closed"),
  }),
  oidcIssuer: optional({
    name: "oidc-issuer",
    placeholder: "URL",
    fallback: "none: local accounts",
    help: "The OpenID Connect provider that people sign in with",
    sensitive: true,
    parse: issuerUrl,
  }),
  oidcClientId: optional({
    name: "oidc-client-id",
    placeholder: "TEXT",
    fallback: "none",
    help: "The client id of this server at the provider",
    parse: (text) => text,
  }),
  oidcClientSecret: optional({
    name: "oidc-client-secret",
    placeholder: "TEXT",
    fallback: "none",
    help: "The client secret; set it in the environment, because other users of the machine can see flags",
    sensitive: true,
    parse: (text) => new Secret(text),
  }),
  admins: optional({
    name: "admins",
    placeholder: "LIST",
    fallback: "none",
    help: "Administrators among the provider's users: their subjects (the sub claim), separated by commas",
    parse: subjects,
  }),
  trustedProxies: optional({
    name: "trusted-proxies",
    placeholder: "LIST",
    fallback: "none",
    help: "Addresses of reverse proxies whose X-Forwarded-For, -Host and -Proto are trusted, such as 127.0.0.1,10.0.0.0/8",
    parse: subnets,
  }),
  corsOrigins: required({
    name: "cors-origins",
    placeholder: "LIST",
    fallback: "*",
    help: "Origins whose pages may call the API with a key (CORS), such as https://agent.example,https://app.example; * for all, off for none",
    parse: origins,
  }),
  webhookAddresses: optional({
    name: "webhook-addresses",
    placeholder: "LIST",
    fallback: "none",
    help: "Addresses that webhooks may be at although they are not public, such as 10.0.0.0/8,127.0.0.1; http:// is possible there too",
    parse: subnets,
  }),
  sweepInterval: required({
    name: "sweep-interval",
    placeholder: "DURATION",
    fallback: "60s",
    help: "How often expired drives and files and unused content are removed",
    parse: duration(10, DAY_MS, "from 10ms to 24h"),
  }),
  backup: optional({
    name: "backup",
    placeholder: "PLACE",
    fallback: "none",
    help: "Where the server makes backups of itself: a directory, or s3://BUCKET/PREFIX",
    sensitive: true,
    parse: (text) =>
      parseBackupAddress(text, (path) => resolve(path)) ??
      new Problem("must be a directory, or an address such as s3://bucket/prefix"),
  }),
  backupInterval: required({
    name: "backup-interval",
    placeholder: "DURATION",
    fallback: "24h",
    help: "How often the server makes a backup",
    parse: duration(1000, YEAR_MS, "from 1s to 8760h"),
  }),
  backupKeep: required({
    name: "backup-keep",
    placeholder: "NUMBER",
    fallback: "7",
    help: "How many backups are kept; a new one removes the oldest",
    parse: integer(1, 10_000),
  }),
  scrubInterval: required({
    name: "scrub-interval",
    placeholder: "DURATION",
    fallback: "720h",
    help: "How long the slow check of all contents for damage takes before it begins again; 0s for never",
    parse: duration(0, YEAR_MS, "from 0s to 8760h"),
  }),
  log: optional({
    name: "log",
    placeholder: "pretty|json",
    fallback: "pretty on a terminal, else json",
    help: "How log lines are written",
    parse: choice("pretty", "json"),
  }),
};

/** The setting's environment variable: `COFFER_DATA_DIR`. */
export function variableOf(setting: Pick<Setting<unknown>, "name">): string {
  return `COFFER_${setting.name.replaceAll("-", "_").toUpperCase()}`;
}
