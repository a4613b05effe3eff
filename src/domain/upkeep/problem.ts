/** What somebody should look at, worst first. */
export const PROBLEM_KINDS = [
  "disk_failed",
  "disk_unavailable",
  "storage_full",
  "certificate_ending",
  "certificate_failed",
  "contents_missing",
  "contents_damaged",
  "backup_failed",
  "backup_late",
  "certificate_unusable",
  "disk_nearly_full",
  "contents_to_move",
  "indexing_failed",
  "requests_failed",
  "embeddings_failed",
  "webhooks_disabled",
] as const;

export type ProblemKind = (typeof PROBLEM_KINDS)[number];
