import type { Config } from "../config.ts";
import { recordedAddress } from "../data-directory/address-file.ts";
import { type DataDirectory, loadSecret } from "../data-directory/data-directory.ts";
import { type LockState, lockState } from "../db/engine/lock.ts";
import { messageOf } from "../domain/errors.ts";
import { ownerTokenOf } from "../domain/upkeep/owner-token.ts";
import { PROBLEM_KINDS, type ProblemKind } from "../domain/upkeep/problem.ts";
import { type Listening, listeningOf } from "../network/local-address.ts";
import { parseMetrics, type Series } from "./metrics-text.ts";

/** How long a server may take to answer, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What a server says of itself. Times are milliseconds since the epoch. What is null is not known, or is not there. */
export type ServerStatus = ReturnType<typeof statusOf>;

/** The server of a data directory. `silent` runs, but does not answer where it was asked. */
export type RunningServer =
  | { readonly kind: "stopped" }
  | { readonly kind: "silent"; readonly pid: number | null; readonly why: string }
  | { readonly kind: "running"; readonly pid: number | null; readonly status: ServerStatus };

/** Where the server of a data directory listens: at a socket that was passed to it, or as the settings say. */
export function whereItListens(directory: DataDirectory, config: Config): Listening {
  return listeningOf({ ...config, ...recordedAddress(directory) });
}

/** Asks the server of a data directory, if one runs. @param url where it is reached from this machine */
export async function askServer(directory: DataDirectory, url: string): Promise<RunningServer> {
  const lock: LockState = lockState(directory.lockFile);
  if (!lock.isHeld) return { kind: "stopped" };
  const pid = lock.holder?.pid ?? null;
  try {
    const headers = { authorization: `Bearer ${ownerTokenOf(loadSecret(directory).reveal())}` };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // The certificate is for another name than this address.
    const answer = await fetch(`${url}/metrics`, { headers, signal, tls: { rejectUnauthorized: false } });
    if (answer.ok) return { kind: "running", pid, status: statusOf(parseMetrics(await answer.text())) };
    const why =
      answer.status === 401 ? "another server answers there" : `it answers there with ${answer.status}`;
    return { kind: "silent", pid, why };
  } catch (error) {
    return { kind: "silent", pid, why: messageOf(error) };
  }
}

function statusOf(series: readonly Series[]) {
  const all = (name: string) => series.filter((one) => one.name === name);
  const value = (name: string) => all(name)[0]?.value ?? null;
  const instant = (name: string) => inMs(value(name));
  const labelled = (name: string, label: string) =>
    Object.fromEntries(all(name).map(({ labels, value: each }) => [labels[label] ?? "", each]));
  const free = labelled("coffer_disk_free_bytes", "disk");
  const total = labelled("coffer_disk_size_bytes", "disk");
  const isProblem = labelled("coffer_problem", "kind");
  return {
    version: all("coffer_build_info")[0]?.labels["version"] ?? null,
    startedAt: instant("process_start_time_seconds"),
    openFiles: { open: value("process_open_fds"), most: value("process_max_fds") },
    problems: PROBLEM_KINDS.filter((kind: ProblemKind) => isProblem[kind] === 1),
    storage: {
      drives: value("coffer_drives"),
      files: value("coffer_files"),
      contents: value("coffer_contents"),
      contentsBytes: value("coffer_contents_bytes"),
    },
    disks: all("coffer_disk_reachable").map(({ labels: { disk = "" }, value: reachable }) => ({
      disk,
      isReachable: reachable === 1,
      freeBytes: free[disk] ?? null,
      totalBytes: total[disk] ?? null,
    })),
    /** Null if the server makes none. */
    backup:
      value("coffer_backup_interval_seconds") === null
        ? null
        : {
            isRunning: value("coffer_backup_running") === 1,
            lastSuccessAt: instant("coffer_backup_last_success_timestamp_seconds"),
            lastFailureAt: instant("coffer_backup_last_failure_timestamp_seconds"),
          },
    /** Files that are to be indexed; at most 10,000. */
    indexWaiting: value("coffer_search_index_waiting"),
  };
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1000);
}
