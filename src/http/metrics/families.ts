import { PROBLEM_KINDS } from "../../domain/upkeep/problem.ts";
import type { Histogram } from "../../process/histogram.ts";
import type { ProcessFigures } from "../../process/process-figures.ts";
import type { Figures } from "../../services/upkeep/server-figures.ts";
import { counter, each, type Family, gauge, histogram, info } from "./family.ts";
import type { RouteFigures } from "./request-meter.ts";

/** All that is known of the server, its process and its requests. */
export interface Told extends Figures {
  readonly process: ProcessFigures;
  /** In seconds. */
  readonly loopDelay: Histogram;
  readonly requests: readonly RouteFigures[];
  readonly version: string;
}

/** Every metric, also those that have no value now. */
export function families(told: Told): Family[] {
  return [
    info("coffer_build", "The version of the server, and of the runtime.", {
      version: told.version,
      bun: Bun.version,
    }),
    ...ofProcess(told),
    ...ofRequests(told),
    ...ofDatabase(told),
    ...ofSearch(told),
    ...ofWebhooks(told),
    ...ofStorage(told),
    ...ofDisks(told),
    ...ofBucket(told),
    ...ofUpkeep(told),
  ];
}

function ofProcess({ process, loopDelay }: Told): Family[] {
  return [
    counter("process_cpu_seconds", "Time of all cores.", process.cpuSeconds),
    gauge("process_resident_memory_bytes", "Resident memory.", process.residentBytes),
    gauge("process_start_time_seconds", "When the process started, since the epoch.", process.startedAt),
    gauge("process_open_fds", "Open file descriptors.", process.openFiles),
    gauge("process_max_fds", "The most file descriptors that may be open.", process.mostOpenFiles),
    histogram(
      "coffer_event_loop_delay_seconds",
      "How late the event loop was, ten times a second, since the first scrape.",
      loopDelay,
    ),
  ];
}

/** What no route answers has the route `none` and the method `any`, whatever was sent. */
function ofRequests({ requests, bytes, refused, feedStreams, sessions }: Told): Family[] {
  const labelled = requests.map(({ route, ...figures }) => ({
    labels: { method: route?.method ?? "any", route: route?.path ?? "none" },
    ...figures,
  }));
  return [
    counter(
      "coffer_http_requests",
      "Requests that were answered; HEAD counts as GET. The route is none where there is none, or the request was refused before.",
      labelled.flatMap(({ labels, statuses }) =>
        Array.from(statuses, ([status, count]) => [count, { ...labels, code: String(status) }] as const),
      ),
    ),
    histogram(
      "coffer_http_request_duration_seconds",
      "Until the response was handed over; the body of a long one may have taken longer.",
      labelled.map(({ labels, durations }) => [durations, labels] as const),
    ),
    counter(
      "coffer_requests_refused",
      "Requests that were refused, or failed, by reason.",
      each("reason", refused),
    ),
    counter("coffer_content_received_bytes", "Bytes of contents that were received.", bytes.received),
    counter("coffer_content_sent_bytes", "Bytes of contents that were sent.", bytes.sent),
    gauge("coffer_feed_streams", "Streams of changes that are open.", feedStreams),
    gauge("coffer_sessions", "Sessions of people, at most 10,000.", sessions),
  ];
}

function ofDatabase({ writes, contentSyncs, databaseSizes: sizes }: Told): Family[] {
  const files = {
    database: sizes.database,
    log: sizes.log,
    search: sizes.searchIndex,
    vectors: sizes.vectors,
  };
  return [
    gauge("coffer_database_writes_waiting", "Writes that wait to be run.", writes.waiting),
    histogram("coffer_database_commit_writes", "How many writes each commit had.", writes.groups),
    histogram("coffer_database_sync_duration_seconds", "How long each sync of the log took.", writes.syncs),
    histogram(
      "coffer_content_sync_duration_seconds",
      "How long each sync of a content took, with its directory.",
      contentSyncs,
    ),
    gauge(
      "coffer_database_size_bytes",
      "The files of the database, and of the indexes of search.",
      each("file", files),
    ),
  ];
}

function ofSearch({ index, searches }: Told): Family[] {
  return [
    histogram("coffer_search_duration_seconds", "How long searches took.", searches),
    gauge(
      "coffer_search_index_waiting",
      "Files whose names or text are to be indexed, at most 10,000.",
      index.waiting,
    ),
    counter("coffer_search_indexed", "Files whose names or text were indexed, each time.", index.done),
  ];
}

function ofWebhooks({ webhooks: { attempts, waiting } }: Told): Family[] {
  const { delivered, failed, pending } = attempts;
  return [
    counter(
      "coffer_webhook_attempts",
      "What came of messages to webhooks: delivered; postponed, to be tried again; failed for good.",
      each("outcome", { delivered, postponed: pending, failed }),
    ),
    gauge("coffer_webhook_deliveries_waiting", "Messages to webhooks that wait, at most 10,000.", waiting),
  ];
}

function ofStorage({ stored, contents }: Told): Family[] {
  const kinds =
    stored === null
      ? {}
      : { files: stored.fileBytes, versions: stored.versionBytes, trash: stored.trashBytes };
  return [
    gauge("coffer_drives", "Drives.", stored?.drives ?? null),
    gauge("coffer_files", "Files in all drives.", stored?.files ?? null),
    gauge(
      "coffer_storage_bytes",
      "Bytes of files, of their earlier versions, and of what is in the trash; equal contents count each time.",
      each("kind", kinds),
    ),
    gauge(
      "coffer_storage_kept_bytes",
      "Bytes that versions, the trash and snapshots keep beside the files; equal contents of a drive count once.",
      stored?.keptBytes ?? null,
    ),
    gauge(
      "coffer_contents",
      "Contents of all files, versions, the trash and snapshots; equal ones are one.",
      contents?.contents ?? null,
    ),
    gauge("coffer_contents_bytes", "Bytes of these contents.", contents?.bytes ?? null),
  ];
}

function ofDisks({ disks }: Told): Family[] {
  const known = (of: (disk: Told["disks"][number]) => number | null) =>
    disks.flatMap((disk) => {
      const value = of(disk);
      return value === null ? [] : [[value, { disk: disk.root }] as const];
    });
  return [
    gauge(
      "coffer_disk_reachable",
      "Whether a disk of contents, or the bucket, can be reached.",
      known(({ away }) => Number(away === null)),
    ),
    gauge(
      "coffer_disk_size_bytes",
      "The size of a disk of contents.",
      known(({ total }) => total),
    ),
    gauge(
      "coffer_disk_free_bytes",
      "What is free on a disk of contents.",
      known(({ free }) => free),
    ),
  ];
}

function ofBucket({ bucket }: Told): Family[] {
  const sent = bucket === null ? [] : Object.entries(bucket.requests.sent);
  const requests = sent.flatMap(([operation, outcomes]) =>
    Object.entries(outcomes).map(([outcome, count]) => [count, { operation, outcome }] as const),
  );
  return [
    counter("coffer_bucket_requests", "Requests to the bucket, by operation and outcome.", requests),
    counter(
      "coffer_bucket_retries",
      "Requests to the bucket that were sent again.",
      bucket?.requests.retries ?? null,
    ),
    gauge(
      "coffer_bucket_circuit_open",
      "Whether the bucket has failed again and again, so that nothing is sent to it for a while.",
      bucket && Number(bucket.requests.isCircuitOpen),
    ),
    counter(
      "coffer_blob_cache_hits",
      "Contents in the bucket that were in the cache.",
      bucket?.cache.hits ?? null,
    ),
    counter(
      "coffer_blob_cache_misses",
      "Contents in the bucket that were not.",
      bucket?.cache.misses ?? null,
    ),
    gauge("coffer_blob_cache_contents", "Contents in the cache.", bucket?.cache.count ?? null),
    gauge("coffer_blob_cache_bytes", "What the cache takes of the disk.", bucket?.cache.bytes ?? null),
  ];
}

function ofUpkeep({ backups, scrub, problems, spans }: Told): Family[] {
  return [
    gauge(
      "coffer_problem",
      "Whether there is something of this kind that somebody should look at.",
      each("kind", Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, Number(problems.includes(kind))]))),
    ),
    gauge(
      "coffer_backup_interval_seconds",
      "How often the server makes a backup.",
      seconds(backups?.interval),
    ),
    gauge("coffer_backup_running", "Whether a backup is being made.", backups && Number(backups.isRunning)),
    gauge(
      "coffer_backup_last_success_timestamp_seconds",
      "When a backup was made.",
      seconds(backups?.lastSuccessAt),
    ),
    gauge(
      "coffer_backup_last_failure_timestamp_seconds",
      "When a backup failed, unless one was made since.",
      seconds(backups?.lastFailureAt),
    ),
    gauge(
      "coffer_scrub_progress_ratio",
      "How much of the slow check of contents is done.",
      scrub.isOn ? scrub.progress : null,
    ),
    gauge(
      "coffer_scrub_last_finish_timestamp_seconds",
      "When all contents had been checked.",
      seconds(scrub.finishedAt),
    ),
    gauge("coffer_contents_damaged", "Contents that are known to be damaged.", scrub.damaged),
    counter(
      "coffer_trace_spans",
      "What came of spans of traces: sent; failed, as the collector did not take them; dropped for want of room.",
      spans === null ? null : each("outcome", spans),
    ),
  ];
}

function seconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1000;
}
