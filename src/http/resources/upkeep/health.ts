import { formatInstant } from "../../../domain/time.ts";
import type { Log } from "../../../process/log.ts";
import type { BackupState } from "../../../services/upkeep/backups.ts";
import type { Problem } from "../../../services/upkeep/health.ts";
import type { ScrubStatus } from "../../../services/upkeep/scrub.ts";
import type { Route } from "../../operation/route.ts";

export interface HealthOptions {
  /** The current problems. Rejects if the database or the disk does not answer. */
  readonly ready: () => Promise<readonly Problem[]>;
  /** Null if the server makes no backups. */
  readonly backup: () => BackupState | null;
  /** How many disks of contents cannot be reached. */
  readonly unavailableDisks: () => number;
  /** The check of all contents; null if there is none. */
  readonly scrub: () => ScrubStatus | null;
  readonly log: Log;
}

/** `/healthz`: the process runs. `/readyz`: everything works; else 503, with the problems. */
export function health({ ready, backup, unavailableDisks, scrub, log }: HealthOptions): Route[] {
  return [
    { method: "GET", path: "/healthz", answer: () => Response.json({ status: "ok" }) },
    {
      method: "GET",
      path: "/readyz",
      answer: async (_routed, { id }) => {
        try {
          const problems = await ready();
          const more = {
            ...shownDisks(unavailableDisks()),
            ...shownBackup(backup()),
            ...shownScrub(scrub()),
          };
          if (problems.length === 0) return Response.json({ status: "ok", ...more });
          return Response.json({ status: "unavailable", problems, ...more, request_id: id }, { status: 503 });
        } catch (error) {
          log.error("not ready", { request_id: id, error });
          return Response.json({ status: "unavailable", request_id: id }, { status: 503 });
        }
      },
    },
  ];
}

/** While one of several can be reached, that does not stop the server. */
function shownDisks(unavailable: number) {
  return unavailable === 0 ? {} : { unavailable_disks: unavailable };
}

/** Everybody may see this, so it has no reason of a failure: the log has. A late backup does not stop the server. */
function shownBackup(state: BackupState | null) {
  if (state === null) return {};
  return {
    backup: { last_success_at: orNull(state.lastSuccessAt), last_failure_at: orNull(state.lastFailureAt) },
  };
}

/** Everybody may see this: how many contents there are is not in it. */
function shownScrub(status: ScrubStatus | null) {
  if (status === null) return {};
  const { progress, finishedAt, damaged } = status;
  return { scrub: { progress, finished_at: orNull(finishedAt), damaged } };
}

function orNull(time: number | null): string | null {
  return time === null ? null : formatInstant(time);
}
