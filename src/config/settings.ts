import { resolve } from "node:path";
import type { Plan } from "../domain/accounts/roles.ts";
import { DAY_MS, YEAR_MS } from "../domain/time.ts";
import { baseUrl, endpointUrl, issuerUrl, listenHost, origins, subnets } from "./addresses.ts";
import { AUDIT_SETTINGS } from "./audit-settings.ts";
import { BACKUP_SETTINGS } from "./backup-settings.ts";
import { Secret } from "./secret.ts";
import { setting } from "./setting.ts";
import { TLS_SETTINGS } from "./tls-settings.ts";
import { UPGRADE_SETTINGS } from "./upgrade-settings.ts";
import {
  bytes,
  choice,
  contentsPlace,
  duration,
  integer,
  matching,
  perPlan,
  shownName,
  subjects,
  token,
} from "./values.ts";

const RATE_LIMITS: Readonly<Record<Plan, number>> = { free: 60, pro: 300, team: 1000 };

const NO_STORAGE_LIMITS: Readonly<Record<Plan, number | null>> = { free: null, pro: null, team: null };

const SEEN_IN_FLAGS = "set it in the environment, because other users of the machine can see flags";

/** Every setting, in the order of the help. A size is in bytes, a duration in milliseconds. */
export const SETTINGS = {
  dataDir: setting({
    flag: "--data-dir PATH",
    fallback: "./data",
    help: "The directory for everything that Coffer stores",
    parse: (text) => resolve(text),
  }),
  blobs: setting({
    flag: "--blobs PLACES",
    fallback: "the data directory",
    absent: null,
    help: "Directories for the contents of files, such as /mnt/a,/mnt/b: one for each disk. New contents go where most is free. The data directory may be one of them. Or a bucket, such as s3://bucket/prefix",
    sensitive: "perhaps",
    parse: contentsPlace,
  }),
  blobCache: setting({
    flag: "--blob-cache SIZE",
    fallback: "a tenth of the disk, at most 5GB",
    absent: null,
    help: "How much of the disk contents may take that are in a bucket, and were used last; 0 for none",
    parse: bytes(0),
  }),
  blobGrace: setting({
    flag: "--blob-grace DURATION",
    fallback: "1h on disks, 168h in a bucket",
    absent: null,
    help: "How long contents are kept that nothing uses any more; a database that was restored from before finds them again",
    parse: duration(60_000, YEAR_MS, "from 1m to 8760h"),
  }),
  blobRedirect: setting({
    flag: "--blob-redirect on|off",
    fallback: "off",
    help: "Whether large downloads of contents in a bucket are sent by its server: clients are redirected there, and must reach it at S3_ENDPOINT",
    parse: choice("on", "off"),
  }),
  host: setting({
    flag: "--host ADDRESS",
    fallback: "0.0.0.0",
    help: "The address to listen on; 127.0.0.1 for this machine only, :: for IPv6 as well",
    parse: listenHost,
  }),
  port: setting({
    flag: "--port NUMBER",
    fallback: "2633",
    help: "The port to listen on; 0 takes any free one",
    parse: integer(0, 65_535),
  }),
  ...TLS_SETTINGS,
  baseUrl: setting({
    flag: "--base-url URL",
    fallback: "none",
    absent: null,
    help: "The address at which others reach this server; links begin with it. Without it, they begin with the address that the request was sent to",
    sensitive: "perhaps",
    parse: baseUrl,
  }),
  name: setting({
    flag: "--name TEXT",
    fallback: "Coffer",
    help: "What the dashboard calls this server: 1 to 64 characters",
    changeable: true,
    parse: shownName,
  }),
  claimBaseUrl: setting({
    flag: "--claim-base-url URL",
    fallback: "the base URL",
    absent: null,
    help: "The address that claim links begin with",
    sensitive: "perhaps",
    parse: baseUrl,
  }),
  keyPrefix: setting({
    flag: "--key-prefix TEXT",
    fallback: "cof",
    help: "What API keys begin with",
    parse: matching(/^[a-z][a-z0-9]{0,15}$/, "have 1 to 16 of a-z and 0-9 and start with a letter"),
  }),
  rateLimits: setting({
    flag: "--rate-limits LIST",
    fallback: Object.entries(RATE_LIMITS)
      .map(([plan, limit]) => `${plan}=${limit}`)
      .join(","),
    help: "Requests a minute with one key, for each plan; all keys of an account together get four times as many. The dashboard counts apart: 3,000 for each account. A plan that is left out keeps its default",
    changeable: true,
    parse: perPlan(RATE_LIMITS, integer(1, Number.MAX_SAFE_INTEGER)),
  }),
  storageLimits: setting({
    flag: "--storage-limits LIST",
    fallback: "none",
    absent: NO_STORAGE_LIMITS,
    help: "Storage of an account for each plan, such as free=10GB,pro=1TB; a plan that is left out has no limit",
    changeable: true,
    parse: perPlan(NO_STORAGE_LIMITS, bytes(1)),
  }),
  provisioning: setting({
    flag: "--provisioning on|off",
    fallback: "on",
    help: "Whether agents may create a drive without an account",
    parse: choice("on", "off"),
  }),
  provisionsPerHour: setting({
    flag: "--provisions-per-hour NUMBER",
    fallback: "10",
    help: "Drives that one client address may create without an account in an hour",
    parse: integer(1, Number.MAX_SAFE_INTEGER),
  }),
  maxFileSize: setting({
    flag: "--max-file-size SIZE",
    fallback: "5GiB",
    help: "The largest file that may be uploaded",
    parse: bytes(1),
  }),
  minUploadSpeed: setting({
    flag: "--min-upload-speed SIZE",
    fallback: "1KiB",
    help: "How much of a file must arrive in a second, on average over a minute; 0 for no limit",
    parse: bytes(0),
  }),
  diskReserve: setting({
    flag: "--disk-reserve SIZE",
    fallback: "1GiB",
    help: "Disk space that uploads leave free",
    parse: bytes(0),
  }),
  keepDays: setting({
    flag: "--keep-days NUMBER",
    fallback: "30",
    help: "Days for which earlier versions of files, and deleted files, are kept; 0 keeps none",
    changeable: true,
    parse: integer(0, 36_500),
  }),
  keepVersions: setting({
    flag: "--keep-versions NUMBER",
    fallback: "50",
    help: "Earlier versions that are kept of one file; 0 keeps none",
    changeable: true,
    parse: integer(0, 10_000),
  }),
  signups: setting({
    flag: "--signups open|closed",
    fallback: "closed",
    help: "Whether people may register an account themselves, once there is an administrator",
    changeable: true,
    parse: choice("open", "closed"),
  }),
  oidcIssuer: setting({
    flag: "--oidc-issuer URL",
    fallback: "none: local accounts",
    absent: null,
    help: "The OpenID Connect provider that people sign in with",
    sensitive: "perhaps",
    parse: issuerUrl,
  }),
  oidcClientId: setting({
    flag: "--oidc-client-id TEXT",
    fallback: "none",
    absent: null,
    help: "The client id of this server at the provider",
    parse: (text) => text,
  }),
  oidcClientSecret: setting({
    flag: "--oidc-client-secret TEXT",
    fallback: "none",
    absent: null,
    help: `The client secret; ${SEEN_IN_FLAGS}`,
    sensitive: "secret",
    parse: (text) => new Secret(text),
  }),
  admins: setting({
    flag: "--admins LIST",
    fallback: "none",
    absent: [],
    help: "Administrators among the provider's users: their subjects (the sub claim), separated by commas",
    parse: subjects,
  }),
  trustedProxies: setting({
    flag: "--trusted-proxies LIST",
    fallback: "none",
    absent: [],
    help: "Addresses of reverse proxies whose X-Forwarded-For, -Host and -Proto are trusted, such as 127.0.0.1,10.0.0.0/8",
    parse: subnets,
  }),
  corsOrigins: setting({
    flag: "--cors-origins LIST",
    fallback: "*",
    help: "Origins whose pages may call the API with a key (CORS), such as https://agent.example,https://app.example; * for all, off for none",
    parse: origins,
  }),
  webhookAddresses: setting({
    flag: "--webhook-addresses LIST",
    fallback: "none",
    absent: [],
    help: "Addresses that webhooks may be at although they are not public, such as 10.0.0.0/8,127.0.0.1; http:// is possible there too",
    parse: subnets,
  }),
  sweepInterval: setting({
    flag: "--sweep-interval DURATION",
    fallback: "60s",
    help: "How often expired drives and files and unused content are removed",
    parse: duration(10, DAY_MS, "from 10ms to 24h"),
  }),
  ...AUDIT_SETTINGS,
  ...BACKUP_SETTINGS,
  scrubInterval: setting({
    flag: "--scrub-interval DURATION",
    fallback: "720h on disks, never in a bucket",
    absent: null,
    help: "How long the slow check of all contents for damage takes before it begins again; 0s for never",
    parse: duration(0, YEAR_MS, "from 0s to 8760h"),
  }),
  embeddings: setting({
    flag: "--embeddings URL",
    fallback: "none: search by words alone",
    absent: null,
    help: "An endpoint in the form of OpenAI's, such as http://127.0.0.1:11434/v1/embeddings: search then also finds what means the same. It is sent the texts of files, and searches",
    sensitive: "perhaps",
    parse: endpointUrl,
  }),
  embeddingsModel: setting({
    flag: "--embeddings-model NAME",
    fallback: "none",
    absent: null,
    help: "The model that the endpoint is asked for, such as nomic-embed-text; after a change all vectors are made again",
    parse: (text) => text,
  }),
  embeddingsKey: setting({
    flag: "--embeddings-key TEXT",
    fallback: "none",
    absent: null,
    help: `The key that the endpoint asks for, if it does; ${SEEN_IN_FLAGS}`,
    sensitive: "secret",
    parse: (text) => new Secret(text),
  }),
  metricsToken: setting({
    flag: "--metrics-token TEXT",
    fallback: "none: metrics are for this machine alone",
    absent: null,
    help: `What Prometheus sends to read /metrics, as a bearer token of 16 characters or more; ${SEEN_IN_FLAGS}`,
    sensitive: "secret",
    parse: token,
  }),
  traceRate: setting({
    flag: "--trace-rate NUMBER",
    fallback: "100",
    help: "How many traces are recorded in a second at most: of those that callers bring, and of the others each; OTEL_EXPORTER_OTLP_ENDPOINT says where they are sent",
    parse: integer(1, 10_000),
  }),
  ...UPGRADE_SETTINGS,
  log: setting({
    flag: "--log pretty|json",
    fallback: "pretty on a terminal, else json",
    absent: null,
    help: "How log lines are written",
    parse: choice("pretty", "json"),
  }),
};
