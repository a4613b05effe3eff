import { deepFreeze } from "./config/deep-freeze.ts";
import { s3Settings } from "./config/s3.ts";
import { Reader, type Texts } from "./config/reader.ts";
import { type Setting, variableOf } from "./config/setting.ts";
import { SETTINGS } from "./config/settings.ts";
import { readTls, refuseForeignBase } from "./config/tls.ts";
import { traceSettings } from "./config/traces.ts";
import { isInside, pathInAnother } from "./config/values.ts";
import { isSharedBucket } from "./domain/upkeep/backup-address.ts";
import { DAY_MS } from "./domain/time.ts";

/** How long the check of all contents on disks takes. */
const SCRUB_MS = 30 * DAY_MS;

/** The configuration: what each setting means is in `SETTINGS`. Deeply frozen. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

interface ConfigSources {
  /** Flags by their name without dashes: `{"data-dir": "/srv/coffer"}`. They override the environment. */
  readonly flags: Readonly<Record<string, string>>;
  /** Whether the log goes to a terminal. */
  readonly isTerminal: boolean;
  /** The environment; by default that of the process. An empty variable counts as absent. */
  readonly env?: Texts;
}

/** The configuration, or everything that is wrong with it. */
type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** One sentence for each problem. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads and checks the whole configuration. A problem never contains a secret. */
export function loadConfig({ flags, isTerminal, env = process.env }: ConfigSources): ConfigResult {
  const reader = new Reader(flags, env);
  const config = readConfig(reader, isTerminal);
  refuseBackupInside(config, reader);
  refuseNestedDisk(config, reader);
  refuseRedirectToDisk(config, reader);
  refuseForeignBase(config, reader);
  reader.reportUnknown();
  const { problems } = reader;
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: deepFreeze(config) };
}

/** Where the manager of services that has started this process wants to be told of it; null without one. */
export function notifyAddress(env: Texts = process.env) {
  const { NOTIFY_SOCKET: socket = "", WATCHDOG_USEC: microseconds, WATCHDOG_PID: pid } = env;
  if (socket === "") return null;
  const interval = Number(microseconds) / 1000;
  // It may be meant for another process, which has passed its environment on.
  const isWatched = interval >= 1 && (pid === undefined || Number(pid) === process.pid);
  return { socket, watchdogMs: isWatched ? interval : null };
}

/** What the variables of `sd_listen_fds` are called. */
const PASSING = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"];

/**
 * What a manager of services says of the sockets that it has passed to this process; null if it has passed none. Takes
 * that out of the environment, as processes that this one starts have none of them.
 */
export function takePassing(env: Record<string, string | undefined> = process.env) {
  const { LISTEN_PID: pid, LISTEN_FDS: count, LISTEN_FDNAMES: names } = env;
  for (const name of PASSING) delete env[name];
  // They may be meant for another process, which has passed its environment on.
  if (count === undefined || pid !== String(process.pid)) return null;
  return { count, names: names?.split(":") ?? null };
}

function readConfig(reader: Reader, isTerminal: boolean) {
  const blobs = reader.read(SETTINGS.blobs);
  return {
    dataDir: reader.read(SETTINGS.dataDir),
    blobs,
    blobCacheBytes: reader.read(SETTINGS.blobCache),
    blobGraceMs: reader.read(SETTINGS.blobGrace),
    blobRedirect: reader.read(SETTINGS.blobRedirect),
    host: reader.read(SETTINGS.host),
    port: reader.read(SETTINGS.port),
    tls: readTls(reader),
    baseUrl: reader.read(SETTINGS.baseUrl),
    name: reader.read(SETTINGS.name),
    claimBaseUrl: reader.read(SETTINGS.claimBaseUrl),
    keyPrefix: reader.read(SETTINGS.keyPrefix),
    rateLimits: reader.read(SETTINGS.rateLimits),
    storageLimits: reader.read(SETTINGS.storageLimits),
    provisioning: reader.read(SETTINGS.provisioning),
    provisionsPerHour: reader.read(SETTINGS.provisionsPerHour),
    maxFileSize: reader.read(SETTINGS.maxFileSize),
    minUploadSpeed: reader.read(SETTINGS.minUploadSpeed),
    diskReserve: reader.read(SETTINGS.diskReserve),
    keepDays: reader.read(SETTINGS.keepDays),
    keepVersions: reader.read(SETTINGS.keepVersions),
    signups: reader.read(SETTINGS.signups),
    oidc: readOidc(reader),
    auditDays: reader.read(SETTINGS.auditDays),
    trustedProxies: reader.read(SETTINGS.trustedProxies),
    corsOrigins: reader.read(SETTINGS.corsOrigins),
    webhookAddresses: reader.read(SETTINGS.webhookAddresses),
    sweepIntervalMs: reader.read(SETTINGS.sweepInterval),
    backup: reader.read(SETTINGS.backup),
    backupIntervalMs: reader.read(SETTINGS.backupInterval),
    backupKeep: reader.read(SETTINGS.backupKeep),
    backupContents: reader.read(SETTINGS.backupContents),
    s3: s3Settings({
      credentialsFile: reader.read(SETTINGS.s3Credentials),
      pathStyle: reader.read(SETTINGS.s3PathStyle),
      variable: (name) => reader.variable(name),
    }),
    scrubIntervalMs: reader.read(SETTINGS.scrubInterval) ?? (blobs?.kind === "s3" ? 0 : SCRUB_MS),
    embeddings: readEmbeddings(reader),
    upgrade: { url: reader.read(SETTINGS.upgradeUrl), key: reader.read(SETTINGS.upgradeKey) },
    metricsToken: reader.read(SETTINGS.metricsToken),
    traces: traceSettings(reader, reader.read(SETTINGS.traceRate)),
    logFormat: reader.read(SETTINGS.log) ?? (isTerminal ? "pretty" : "json"),
    /** How each was given, in the order of the help. */
    asGiven: Object.values(SETTINGS).map((setting) => reader.describe(setting)),
  };
}

/** A symbolic link may hide it; then the backup itself refuses. */
function refuseBackupInside({ backup, dataDir, blobs }: Config, reader: Reader): void {
  if (backup === null) return;
  const refuse = (where: string) =>
    reader.problems.push(
      `${variableOf(SETTINGS.backup)} must not be ${where}: the backups would be lost with it.`,
    );
  if (backup.kind === "s3") {
    if (blobs?.kind === "s3" && isSharedBucket(backup, blobs)) refuse("in the bucket's part for contents");
    return;
  }
  const isIn = (root: string) => isInside(backup.path, root);
  if (isIn(dataDir)) refuse("in the data directory");
  else if (blobs?.kind === "disks" && blobs.roots.some(isIn)) refuse("on a disk of contents");
}

/** The data directory may be a disk, but none may be in it, nor may it be in one. */
function refuseNestedDisk({ blobs, dataDir }: Config, reader: Reader): void {
  if (blobs?.kind !== "disks" || blobs.roots.includes(dataDir)) return;
  if (pathInAnother([...blobs.roots, dataDir]) === null) return;
  reader.problems.push(
    `${variableOf(SETTINGS.blobs)} must not have a directory in the data directory, or around it; the data directory itself may be one.`,
  );
}

function refuseRedirectToDisk({ blobs, blobRedirect }: Config, reader: Reader): void {
  if (blobRedirect === "off" || blobs?.kind === "s3") return;
  reader.problems.push(
    `${variableOf(SETTINGS.blobRedirect)} needs contents in a bucket: set ${variableOf(SETTINGS.blobs)} to one, such as s3://bucket/prefix.`,
  );
}

/** The OpenID Connect provider that users sign in with; null if accounts are local. */
function readOidc(reader: Reader) {
  const settings = [SETTINGS.oidcIssuer, SETTINGS.oidcClientId, SETTINGS.oidcClientSecret];
  const missing = settings.filter((setting) => reader.textOf(setting) === null).map(variableOf);
  const needed = settings.map(variableOf).join(", ");
  if (missing.length > 0 && missing.length < settings.length) {
    reader.problems.push(`Sign-in with a provider needs ${needed}; not set: ${missing.join(", ")}.`);
  }
  const issuer = reader.read(SETTINGS.oidcIssuer);
  const clientId = reader.read(SETTINGS.oidcClientId);
  const clientSecret = reader.read(SETTINGS.oidcClientSecret);
  const admins = reader.read(SETTINGS.admins);
  if (reader.textOf(SETTINGS.admins) !== null && missing.length === settings.length) {
    reader.problems.push(
      `${variableOf(SETTINGS.admins)} lists users of a sign-in provider, but no provider is set: it needs ${needed}.`,
    );
  }
  return issuer === null || clientId === null || clientSecret === null
    ? null
    : { issuer, clientId, clientSecret, admins };
}

/** Where texts get the vectors that search compares; null if it knows only words. */
function readEmbeddings(reader: Reader) {
  const url = reader.read(SETTINGS.embeddings);
  const model = reader.read(SETTINGS.embeddingsModel);
  const key = reader.read(SETTINGS.embeddingsKey);
  const [endpoint, ...others] = [SETTINGS.embeddings, SETTINGS.embeddingsModel, SETTINGS.embeddingsKey];
  const isGiven = (setting: Pick<Setting<unknown>, "flag">) => reader.textOf(setting) !== null;
  if (isGiven(endpoint) && !isGiven(SETTINGS.embeddingsModel)) {
    reader.problems.push(`${variableOf(endpoint)} needs ${variableOf(SETTINGS.embeddingsModel)}.`);
  }
  if (!isGiven(endpoint)) {
    for (const other of others.filter(isGiven))
      reader.problems.push(`${variableOf(other)} is of no use without ${variableOf(endpoint)}.`);
  }
  return url === null || model === null ? null : { url, model, key };
}
