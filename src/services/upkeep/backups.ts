import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** The longest pause after a failure, in milliseconds. */
const RETRY_MS = 60 * 60 * 1000;
/** How long a backup may take to end when the server stops, in milliseconds. */
const STOP_MS = 5000;

/** The backups that the server makes by itself. */
export interface BackupPlan {
  /** The place, as `nameOfBackupAddress` names it. */
  readonly place: string;
  /** How often, in milliseconds. */
  readonly intervalMs: number;
  /** Makes one backup, as a process of its own: it must not hold up the server, or end with its memory. */
  readonly command: readonly string[];
}

/** When the last ones were made; milliseconds since the epoch, null if there was none. */
export interface BackupState {
  readonly lastSuccessAt: number | null;
  /** The last failure since this server started, unless a success came after it. */
  readonly lastFailureAt: number | null;
}

/** Makes a backup whenever the last success is older than the interval: also one of an earlier run counts. */
export class Backups extends Service<
  Pick<Parts, "tables" | "clock" | "log"> & { backupPlan: BackupPlan | null }
> {
  #failedAt: number | null = null;
  #child: Bun.Subprocess | null = null;
  #isStopped = false;

  /** Null if the server makes no backups. */
  state(): BackupState | null {
    const { tables, backupPlan: plan } = this.parts;
    if (plan === null) return null;
    return { lastSuccessAt: tables.backups.succeededAt(plan.place), lastFailureAt: this.#failedAt };
  }

  /** Makes a backup if one is due. Resolves when it has ended, well or not. */
  async runIfDue(): Promise<void> {
    const { tables, log, clock, backupPlan: plan } = this.parts;
    if (plan === null || this.#isStopped || tables.hasFailed() || !this.#isDue(plan)) return;
    const { place } = plan;
    const { code, said } = await this.#run(plan);
    if (this.#isStopped) return;
    if (code === 0) {
      this.#failedAt = null;
      log.info("made a backup", { place, said });
    } else {
      this.#failedAt = clock.now();
      const retry = "the server tries again after an hour, or after the interval if that is shorter";
      log.error("the backup failed, or is not complete", { place, reason: said, next: retry });
    }
  }

  /** Ends a backup that is running; no other one starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const child = this.#child;
    if (child === null) return;
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await child.exited;
    clearTimeout(timer);
  }

  #isDue({ place, intervalMs }: BackupPlan): boolean {
    const now = this.parts.clock.now();
    // A time to come is from before the clock was set back.
    const isWithin = (ms: number, time: number | null) => time !== null && now >= time && now - time < ms;
    const succeededAt = this.parts.tables.backups.succeededAt(place);
    return !isWithin(intervalMs, succeededAt) && !isWithin(Math.min(RETRY_MS, intervalMs), this.#failedAt);
  }

  async #run({ command }: BackupPlan): Promise<{ readonly code: number; readonly said: string }> {
    try {
      const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
      this.#child = child;
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { code, said: (code === 0 ? out : err).trim() };
    } catch (error) {
      // It could not be started.
      return { code: -1, said: error instanceof Error ? error.message : String(error) };
    } finally {
      this.#child = null;
    }
  }
}
