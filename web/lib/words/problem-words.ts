import type { ServerProblem, ServerReport } from "../api/types.ts";
import { formatBytes } from "./format.ts";
import { plural, t } from "./text.ts";

interface ProblemWords {
  readonly what: string;
  /** What to do. */
  readonly advice: string;
}

/** What of the server the words depend on. */
type ServerOfProblem = Pick<ServerReport, "settings"> & {
  readonly disk: Pick<ServerReport["disk"], "reserve">;
};

/** What a problem of the server is, and what to do. */
export function wordsOfProblem({ kind, count }: ServerProblem, server: ServerOfProblem): ProblemWords {
  const many = count ?? 0;
  switch (kind) {
    case "disk_failed":
      return {
        what: t("The disk failed during a write"),
        advice: t("The server only reads now. Check the disk, then restart the server."),
      };
    case "contents_to_move":
      return {
        what: plural(
          many,
          "{count} place that is no longer in use still holds contents",
          "{count} places that are no longer in use still hold contents",
        ),
        advice: t("Run coffer blobs migrate on the server: it moves them to where new contents go."),
      };
    case "disk_unavailable":
      return {
        what: plural(
          many,
          "{count} place for contents can't be reached",
          "{count} places for contents can't be reached",
        ),
        advice: t(
          "What is only there can't be opened now. The server uses it again by itself once it is back.",
        ),
      };
    case "storage_full":
      return {
        what: t("The disk is full"),
        advice: t("Uploads are refused. Delete files, or make the disk larger."),
      };
    case "certificate_ending":
      return {
        what:
          many === 0
            ? t("The TLS certificate has ended")
            : plural(
                many,
                "The TLS certificate ends in {count} day",
                "The TLS certificate ends in {count} days",
              ),
        advice: hasAuthority(server)
          ? t("The server renews it by itself. Its log has what keeps it from that.")
          : t("Renew it: the server takes the changed files by itself within a minute."),
      };
    case "certificate_failed":
      return {
        what: t("No new TLS certificate is issued"),
        advice: t(
          "The server tries again by itself. The names of the certificate must lead to this server, and their port 80 to its port for plain HTTP.",
        ),
      };
    case "certificate_unusable":
      return hasAuthority(server)
        ? {
            what: t("The TLS certificate that was issued can't be used"),
            advice: t(
              "Another one stays in use, perhaps one that browsers don't trust. The server has a new one issued by itself, at most one a day. For one at once, delete attempts.json in the folder acme of its data directory, and restart it.",
            ),
          }
        : {
            what: t("The changed TLS files can't be used"),
            advice: t(
              "The former certificate stays in use. Put a certificate and its key there that belong together.",
            ),
          };
    case "contents_missing":
      return {
        what: t("Many contents are missing"),
        advice: t("The directory of contents does not fit the database. Restore both from one backup."),
      };
    case "contents_damaged":
      return {
        what: plural(many, "{count} content is damaged", "{count} contents are damaged"),
        advice: t(
          "Files with damaged contents can't be opened. Take the contents from a backup: run coffer verify --repair-from on the server.",
        ),
      };
    case "backup_failed":
      return {
        what: t("The last backup failed"),
        advice: t("The server tries again within an hour. When the reason is gone, make one now."),
      };
    case "backup_late":
      return {
        what: t("There was no backup for a long time"),
        advice: t("Make one now. If it does not end well, its reason is shown here."),
      };
    case "disk_nearly_full":
      return {
        what: t("The disk is nearly full"),
        advice: t("With less than {size} free, uploads are refused. Delete files, or make the disk larger.", {
          size: formatBytes(server.disk.reserve),
        }),
      };
    case "indexing_failed":
      return {
        what: t("The search index can't be written"),
        advice: t(
          "Search does not find what is new. The server tries again by itself; its log has the reason.",
        ),
      };
    case "requests_failed":
      return {
        what: plural(many, "{count} request failed today", "{count} requests failed today"),
        advice: t("That is a fault of the server. Look for “request failed” in its log."),
      };
    case "embeddings_failed":
      return {
        what: t("The embeddings endpoint fails"),
        advice: t("Until it answers, search goes by words alone for what is new."),
      };
    case "webhooks_disabled":
      return {
        what: plural(
          many,
          "{count} webhook was turned off this week",
          "{count} webhooks were turned off this week",
        ),
        advice: t(
          "Their messages could not be delivered. Who made a webhook sees why, and can turn it on again.",
        ),
      };
  }
}

/** Whether an authority issues the certificate; else it is read from the operator's files. */
function hasAuthority({ settings }: ServerOfProblem): boolean {
  return settings.some(({ name, value }) => name === "tls_acme" && value !== null);
}
