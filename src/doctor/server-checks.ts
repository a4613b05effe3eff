import type { Config } from "../config.ts";
import { HOUR_MS } from "../domain/time.ts";
import type { ProblemKind } from "../domain/upkeep/problem.ts";
import { NEEDED, openFilesLimit } from "../process/descriptors.ts";
import { type Check, ok, warning, wrong } from "./check.ts";
import type { RunningServer } from "./running-server.ts";

/** With fewer open files, connections are refused soon. */
const GOOD_LIMIT = 1024;
/** The share of the limit that is much. */
const MUCH = 0.8;
/** So many waiting files are more than a moment's work. */
const BACKLOG = 10_000;
/** A backup is late after so many intervals without one. */
const LATE = 2;

/** What to do about what a server knows to be wrong. What stops it from working is an error. */
const PROBLEMS: Readonly<Record<ProblemKind, readonly [level: "error" | "warning", advice: string]>> = {
  disk_failed: ["error", "Check the disk, then restart the server."],
  disk_unavailable: ["error", "Mount the disk, or make the bucket reachable."],
  storage_full: ["error", "Make room on the disk."],
  contents_missing: ["error", "Restore the contents from a backup, with coffer verify --repair-from."],
  contents_damaged: ["error", "Repair them with coffer verify --repair-from and a backup."],
  backup_failed: ["error", "Read why in the log, and try it with coffer backup."],
  backup_late: ["warning", "Read in the log what holds the backup up."],
  disk_nearly_full: ["warning", "Make room on the disk."],
  contents_to_move: ["warning", "Run coffer blobs migrate."],
  indexing_failed: ["error", "Read why in the log; a restart makes the index go on."],
  requests_failed: ["warning", "Read why in the log: look for status 500."],
  embeddings_failed: ["warning", "Check COFFER_EMBEDDINGS and the server that it names."],
  certificate_unusable: [
    "error",
    "Read why in the log, and mend the files of COFFER_TLS_CERT and COFFER_TLS_KEY.",
  ],
  certificate_failed: [
    "error",
    "Read why in the log: the names of COFFER_TLS_ACME must lead to this server, and their port 80 to its COFFER_TLS_REDIRECT_PORT.",
  ],
  certificate_ending: ["warning", "Renew the certificate; the server takes the new files by itself."],
  webhooks_disabled: ["warning", "Their owners see why on the page of webhooks."],
};

/** What to do instead where an authority issues the certificate. */
const WITH_AUTHORITY: { readonly [kind in ProblemKind]?: string } = {
  certificate_unusable:
    "Read why in the log. The server has another certificate issued by itself, at most one a day; for one at once, delete attempts.json in the folder acme of the data directory, and restart the server.",
  certificate_ending: "The server renews the certificate by itself: read in the log what keeps it from that.",
};

/** What the server of the directory says of itself. @param url where it was asked. @param tls of the server */
export function serverChecks(server: RunningServer, url: string, tls: Config["tls"]): Check[] {
  if (server.kind === "stopped") return [ok("server", "none runs on this data directory")];
  if (server.kind === "silent") {
    const found = `process ${server.pid ?? "unknown"} holds the data directory, and ${url} is not it: ${server.why}`;
    const advice =
      "Give --host and --port as the server has them; if that is so already, restart the server.";
    return [wrong("server", found, advice)];
  }
  const { problems } = server.status;
  if (problems.length === 0) return [ok("server", "it runs, and knows of no problem")];
  return problems.map((kind) => {
    const [level, usual] = PROBLEMS[kind];
    const advice = tls?.certificate.kind === "acme" ? (WITH_AUTHORITY[kind] ?? usual) : usual;
    return (level === "error" ? wrong : warning)("server", kind, advice);
  });
}

/** The limit of the running server; without one, of this process, which a server started here would have. */
export function openFilesCheck(server: RunningServer): Check {
  const { open, most } =
    server.kind === "running" ? server.status.openFiles : { open: null, most: openFilesLimit() };
  const advice = "Raise the limit, with ulimit -n or LimitNOFILE= in a systemd unit, and restart the server.";
  if (most === null || !Number.isFinite(most)) return ok("open files", "the limit is not known here");
  const found = `at most ${most}${open === null ? "" : `, and ${open} are open`}`;
  if (most < NEEDED.server) return wrong("open files", found, advice);
  const isShort = most < GOOD_LIMIT || (open ?? 0) > MUCH * most;
  return isShort ? warning("open files", found, advice) : ok("open files", found);
}

/** @param plan how often the server makes backups, in milliseconds, and when it made the last one; null for never */
export function backupCheck(
  plan: { readonly intervalMs: number; readonly lastSuccessAt: number | null } | null,
  now: number,
): Check {
  if (plan === null) {
    const advice = "Set COFFER_BACKUP to a directory on another disk, or to a bucket.";
    return warning("backup", "the server makes none", advice);
  }
  const { intervalMs, lastSuccessAt } = plan;
  if (lastSuccessAt === null)
    return warning("backup", "there is none yet", "Make the first one with coffer backup.");
  const found = `the last one is ${((now - lastSuccessAt) / HOUR_MS).toFixed(1)} hours old`;
  return now - lastSuccessAt < LATE * intervalMs
    ? ok("backup", found)
    : wrong("backup", found, "Read in the server's log why it fails, and try it with coffer backup.");
}

/** @param waiting how many files are to be indexed */
export function indexCheck(waiting: number): Check {
  if (waiting < BACKLOG) return ok("index", `files that wait: ${waiting}`);
  const advice = "Search does not find them yet. A running server works them off; see its log if they stay.";
  return warning("index", `files that wait: ${waiting} or more`, advice);
}
