import { PLANS } from "../../../src/domain/accounts/roles.ts";
import type { Setting } from "../api/types.ts";
import { valueOf, valuesOfPlans } from "../server.ts";
import { formatList } from "./format.ts";
import { mark, type PlainMessage, t } from "./text.ts";

interface SettingWords {
  readonly title: string;
  readonly hint: string;
}

/** What people are told of the settings that can be changed. */
const WORDS: Readonly<Record<string, Readonly<Record<keyof SettingWords, PlainMessage>>>> = {
  name: {
    title: mark("Name"),
    hint: mark("Shown on each page, where people sign in, and in titles. 1 to 64 characters."),
  },
  signups: { title: mark("Registration"), hint: mark("Whether people may make an account by themselves.") },
  rate_limits: {
    title: mark("Requests a minute"),
    hint: mark("With one key. All keys of an account together get four times as many."),
  },
  storage_limits: {
    title: mark("Storage of an account"),
    hint: mark("Such as 10GB or 1TB. Empty for no limit."),
  },
  keep_days: {
    title: mark("Days that versions and the trash are kept"),
    hint: mark("0 keeps none."),
  },
  keep_versions: { title: mark("Earlier versions kept of a file"), hint: mark("0 keeps none.") },
};

/**
 * What all others are for: the server's own help, which the tests hold these to. Their names are their variables,
 * since that is what they are changed by.
 */
const HELP: Readonly<Record<string, PlainMessage>> = {
  data_dir: mark("The directory for everything that Coffer stores"),
  blobs: mark(
    "Directories for the contents of files, such as /mnt/a,/mnt/b: one for each disk. New contents go where most is free. The data directory may be one of them. Or a bucket, such as s3://bucket/prefix",
  ),
  blob_cache: mark(
    "How much of the disk contents may take that are in a bucket, and were used last; 0 for none",
  ),
  blob_grace: mark(
    "How long contents are kept that nothing uses any more; a database that was restored from before finds them again",
  ),
  blob_redirect: mark(
    "Whether large downloads of contents in a bucket are sent by its server: clients are redirected there, and must reach it at S3_ENDPOINT",
  ),
  host: mark("The address to listen on; 127.0.0.1 for this machine only, :: for IPv6 as well"),
  port: mark("The port to listen on; 0 takes any free one"),
  tls_cert: mark(
    "A file with the certificate of this server and those that vouch for it, in PEM: the server then speaks HTTPS. It is read again when it changes",
  ),
  tls_key: mark("The file with the private key of that certificate, in PEM, without a passphrase"),
  tls_acme: mark(
    "Host names of this server, such as drive.example.com,www.example.com: a certificate authority issues a certificate for them by ACME, and the server renews it. Whoever sets this agrees to the authority's terms of service",
  ),
  tls_acme_email: mark("Where the certificate authority may write to"),
  tls_acme_directory: mark(
    "The address where the certificate authority says, by ACME, what it offers (its directory)",
  ),
  tls_acme_ca: mark(
    "A file with the certificates to trust when the certificate authority is asked, in PEM: for one of one's own",
  ),
  tls_redirect_port: mark("A port where plain HTTP is answered with the https address to use, such as 80"),
  base_url: mark(
    "The address at which others reach this server; links begin with it. Without it, they begin with the address that the request was sent to",
  ),
  claim_base_url: mark("The address that claim links begin with"),
  key_prefix: mark("What API keys begin with"),
  provisioning: mark("Whether agents may create a drive without an account"),
  provisions_per_hour: mark("Drives that one client address may create without an account in an hour"),
  max_file_size: mark("The largest file that may be uploaded"),
  min_upload_speed: mark(
    "How much of a file must arrive in a second, on average over a minute; 0 for no limit",
  ),
  disk_reserve: mark("Disk space that uploads leave free"),
  oidc_issuer: mark("The OpenID Connect provider that people sign in with"),
  oidc_client_id: mark("The client id of this server at the provider"),
  oidc_client_secret: mark(
    "The client secret; set it in the environment, because other users of the machine can see flags",
  ),
  admins: mark(
    "Administrators among the provider's users: their subjects (the sub claim), separated by commas",
  ),
  trusted_proxies: mark(
    "Addresses of reverse proxies whose X-Forwarded-For, -Host and -Proto are trusted, such as 127.0.0.1,10.0.0.0/8",
  ),
  cors_origins: mark(
    "Origins whose pages may call the API with a key (CORS), such as https://agent.example,https://app.example; * for all, off for none",
  ),
  webhook_addresses: mark(
    "Addresses that webhooks may be at although they are not public, such as 10.0.0.0/8,127.0.0.1; http:// is possible there too",
  ),
  audit_days: mark(
    "Days for which the audit log is kept: who signed in, was refused, made keys, shared, changed settings or deleted for good",
  ),
  sweep_interval: mark("How often expired drives and files and unused content are removed"),
  backup: mark("Where the server makes backups of itself: a directory, or s3://BUCKET/PREFIX"),
  backup_interval: mark("How often the server makes a backup"),
  backup_keep: mark("How many backups are kept; a new one removes the oldest"),
  backup_contents: mark(
    "Whether a backup leaves contents that are in a bucket there, and keeps them from being removed, or copies them to its place",
  ),
  s3_credentials: mark(
    "A file with credentials for S3, in the form of AWS; it is read again when it changes. Without it, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY count",
  ),
  s3_path_style: mark(
    "Whether a bucket stands in the path of S3's addresses, and not in the name of the server",
  ),
  scrub_interval: mark(
    "How long the slow check of all contents for damage takes before it begins again; 0s for never",
  ),
  embeddings: mark(
    "An endpoint in the form of OpenAI's, such as http://127.0.0.1:11434/v1/embeddings: search then also finds what means the same. It is sent the texts of files, and searches",
  ),
  embeddings_model: mark(
    "The model that the endpoint is asked for, such as nomic-embed-text; after a change all vectors are made again",
  ),
  metrics_token: mark(
    "What Prometheus sends to read /metrics, as a bearer token of 16 characters or more; set it in the environment, because other users of the machine can see flags",
  ),
  trace_rate: mark(
    "How many traces are recorded in a second at most: of those that callers bring, and of the others each; OTEL_EXPORTER_OTLP_ENDPOINT says where they are sent",
  ),
  embeddings_key: mark(
    "The key that the endpoint asks for, if it does; set it in the environment, because other users of the machine can see flags",
  ),
  upgrade_url: mark(
    "Where coffer upgrade finds the files of the newest release; nothing else ever asks there",
  ),
  upgrade_key: mark("The public key of minisign that a release must be signed with to be installed"),
  log: mark("How log lines are written"),
};

/** Defaults that the server describes, for want of a value. */
const DEFAULTS: Readonly<Record<string, PlainMessage>> = {
  none: mark("Not set"),
  "that of this release, if it has one": mark("that of this release, if it has one"),
  "1h on disks, 168h in a bucket": mark("1h on disks, 168h in a bucket"),
  "720h on disks, never in a bucket": mark("720h on disks, never in a bucket"),
  "a tenth of the disk, at most 5GB": mark("a tenth of the disk, at most 5GB"),
  "on with S3_ENDPOINT, else off": mark("on with S3_ENDPOINT, else off"),
  "none: local accounts": mark("none: local accounts"),
  "none: metrics are for this machine alone": mark("none: metrics are for this machine alone"),
  "none: search by words alone": mark("none: search by words alone"),
  "that of Let's Encrypt": mark("that of Let's Encrypt"),
  "none: those of the system": mark("none: those of the system"),
  "pretty on a terminal, else json": mark("pretty on a terminal, else json"),
  "the base URL": mark("the base URL"),
  "the data directory": mark("the data directory"),
};

/** What the page says of a setting that can be changed; null of any other. */
export function wordsOfSetting({ name }: Pick<Setting, "name">): SettingWords | null {
  const words = WORDS[name];
  return words === undefined ? null : { title: t(words.title), hint: t(words.hint) };
}

/** What any setting is for. Of one that this page does not know yet, the server's own help. */
export function hintOf(setting: Setting): string {
  const help = HELP[setting.name];
  return wordsOfSetting(setting)?.hint ?? (help === undefined ? setting.help : t(help));
}

/** The value of a setting, for people. */
export function shownValue(setting: Setting): string {
  const value = valueOf(setting);
  if (setting.secret) return setting.source === "default" ? t("Not set") : t("Set");
  switch (setting.name) {
    case "signups":
      return value === "open" ? t("signups|Open") : t("Closed");
    case "rate_limits":
    case "storage_limits": {
      const values = { ...valuesOfPlans(setting.default_value), ...valuesOfPlans(value) };
      return formatList(
        PLANS.map((plan) => t("{plan}: {limit}", { plan, limit: values[plan] ?? t("no limit") })),
      );
    }
    default:
      return setting.value === null ? describedDefault(setting) : setting.value;
  }
}

function describedDefault({ default_value: fallback }: Setting): string {
  const described = DEFAULTS[fallback];
  return described === undefined ? fallback : t(described);
}

/** Where the value of a setting is from. */
export function sourceOf({ source, variable }: Setting): string {
  switch (source) {
    case "default":
      return t("Default");
    case "stored":
      return t("Changed here");
    case "environment":
      return t("Set by {variable}", { variable });
    case "flag":
      return t("Set by the flag {flag}", { flag: flagOf(variable) });
  }
}

function flagOf(variable: string): string {
  return `--${variable.replace("COFFER_", "").replaceAll("_", "-").toLowerCase()}`;
}
