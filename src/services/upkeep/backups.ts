import { CofferError } from "../../domain/errors.ts";
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

/** Times are milliseconds since the epoch; null if there was none. */
export interface BackupState {
  readonly place: string;
  /** Milliseconds. */
  readonly interval: number;
  readonly lastSuccessAt: number | null;
  /** The last failure since this server started, unless a success came after it. */
  readonly lastFailureAt: number | null;
  /** Why it failed; empty if nothing was said. */
  readonly failure: string | null;
  /** Whether one is being made, by the server or from the shell. */
  readonly isRunning: boolean;
  /** When the server makes the next one; it may be past, as this is looked at once a minute. */
  readonly nextAt: number;
}

interface Failure {
  readonly at: number;
  readonly reason: string;
}

/**
 * Makes a backup whenever the last success is older than the interval: also one of an earlier run counts. And when
 * somebody asks.
 */
export class Backups extends Service<
  Pick<Parts, "tables" | "clock" | "log"> & { backupPlan: BackupPlan | null }
> {
  #failure: Failure | null = null;
  #isRunning = false;
  #child: Bun.Subprocess | null = null;
  #isStopped = false;

  /** Null if the server makes no backups. */
  state(): BackupState | null {
    const { backupPlan: plan } = this.parts;
    return plan && this.#stateOf(plan);
  }

  #stateOf(plan: BackupPlan): BackupState {
    const { tables, clock } = this.parts;
    const { place, intervalMs } = plan;
    return {
      place,
      interval: intervalMs,
      lastSuccessAt: tables.backups.succeededAt(place),
      lastFailureAt: this.#failure?.at ?? null,
      failure: this.#failure?.reason ?? null,
      isRunning: this.#isRunning || tables.backups.isRunning(clock.now()),
      nextAt: this.#nextAt(plan),
    };
  }

  /** Makes a backup if one is due. Resolves when it has ended, well or not. */
  async runIfDue(): Promise<void> {
    const { tables, clock, backupPlan: plan } = this.parts;
    if (plan === null || this.#isRunning || tables.hasFailed() || this.#nextAt(plan) > clock.now()) return;
    await this.#make(plan);
  }

  /** Begins a backup now. Throws CONFLICT while one is made, and without a place for them. */
  start(): BackupState {
    const { backupPlan: plan } = this.parts;
    if (plan === null)
      throw new CofferError(
        "CONFLICT",
        "This server has no place for backups. Set COFFER_BACKUP, and restart it.",
      );
    const state = this.#stateOf(plan);
    if (state.isRunning) throw new CofferError("CONFLICT", "A backup is being made. Wait until it is done.");
    void this.#make(plan);
    return { ...state, isRunning: true };
  }

  async #make(plan: BackupPlan): Promise<void> {
    if (this.#isStopped) return;
    const { log, clock } = this.parts;
    const { place } = plan;
    this.#isRunning = true;
    const { code, said } = await this.#run(plan);
    this.#isRunning = false;
    if (this.#isStopped) return;
    if (code === 0) {
      this.#failure = null;
      log.info("made a backup", { place, said });
    } else {
      this.#failure = { at: clock.now(), reason: said };
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

  #nextAt({ place, intervalMs }: BackupPlan): number {
    const now = this.parts.clock.now();
    // A time to come is from before the clock was set back.
    const after = (ms: number, time: number | null) => (time === null || time > now ? now : time + ms);
    const succeededAt = this.parts.tables.backups.succeededAt(place);
    const retryMs = Math.min(RETRY_MS, intervalMs);
    return Math.max(after(intervalMs, succeededAt), after(retryMs, this.#failure?.at ?? null));
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
