import type { Setting } from "./api/types.ts";
import { mark, type PlainMessage } from "./words/text.ts";

/** What settings are about, in the order in which they are shown. Those that no group names come in the last one. */
const GROUPS = [
  { title: mark("Name and accounts"), names: ["name", "signups", "provisioning", "provisions_per_hour"] },
  {
    title: mark("Limits"),
    names: [
      "rate_limits",
      "storage_limits",
      "max_file_size",
      "min_upload_speed",
      "disk_reserve",
      "blob_cache",
    ],
  },
  {
    title: mark("What is kept"),
    names: ["keep_days", "keep_versions", "audit_days", "blob_grace", "sweep_interval"],
  },
  {
    title: mark("Addresses"),
    names: [
      "host",
      "port",
      "tls_cert",
      "tls_key",
      "tls_acme",
      "tls_acme_email",
      "tls_acme_directory",
      "tls_acme_ca",
      "tls_redirect_port",
      "base_url",
      "claim_base_url",
      "trusted_proxies",
      "cors_origins",
      "blob_redirect",
      "webhook_addresses",
    ],
  },
  {
    title: mark("Sign-in through a provider"),
    names: ["oidc_issuer", "oidc_client_id", "oidc_client_secret", "admins"],
  },
  {
    title: mark("Backups and checks"),
    names: [
      "backup",
      "backup_interval",
      "backup_keep",
      "backup_contents",
      "s3_credentials",
      "s3_path_style",
      "scrub_interval",
      "metrics_token",
      "trace_rate",
      "upgrade_url",
      "upgrade_key",
    ],
  },
  { title: mark("Search by meaning"), names: ["embeddings", "embeddings_model", "embeddings_key"] },
] as const;

const REST = mark("Other");

export interface SettingGroup {
  /** A message. */
  readonly title: PlainMessage;
  readonly settings: readonly Setting[];
}

export function groupsOf(settings: readonly Setting[]): SettingGroup[] {
  const groups = GROUPS.map(({ title, names }) => ({
    title,
    settings: names.flatMap((name) => settings.find((setting) => setting.name === name) ?? []),
  }));
  const grouped = new Set(groups.flatMap((group) => group.settings));
  const rest = { title: REST, settings: settings.filter((setting) => !grouped.has(setting)) };
  return [...groups, rest].filter((group) => group.settings.length > 0);
}
