import type { AcmeFiles } from "../data-directory/acme-files.ts";
import { DAY_MS, HOUR_MS } from "../domain/time.ts";
import type { Clock } from "../process/clock.ts";
import { isRecord } from "./replies.ts";

const FILE = "attempts.json";
/** The pause after the first failure, in milliseconds, and how many times longer each other one is. */
const FIRST_PAUSE_MS = 60_000;
const GROWTH = 4;
const LONGEST_PAUSE_MS = 12 * HOUR_MS;
/** So much longer a pause may be, by chance: servers that failed at once do not all come back at once. */
const JITTER = 0.25;
/** A restart waits no longer: somebody may have mended what was wrong. Still no loop of restarts asks without end. */
const RESTART_PAUSE_MS = 12 * 60_000;
/** An authority is believed that it wants to be left alone for so long. */
const LONGEST_REQUEST_MS = 7 * DAY_MS;

interface Record {
  /** Failures since the last certificate. */
  readonly failures: number;
  /** Why the last one was; null if there was none. */
  readonly reason: string | null;
  /** When to try again, and what the authority asked for; milliseconds since the epoch. */
  readonly retryAt: number;
  readonly askedAt: number;
  /** When the last certificate was issued, in milliseconds since the epoch; null if never. */
  readonly issuedAt: number | null;
  /** For which names. */
  readonly names: readonly string[];
  /** How long another one for the same names has to wait, in milliseconds. */
  readonly restMs: number;
}

const NONE: Record = {
  failures: 0,
  reason: null,
  retryAt: 0,
  askedAt: 0,
  issuedAt: null,
  names: [],
  restMs: 0,
};

/** What became of the attempts to have a certificate issued. Kept on disk: an authority counts them, too. */
export class Attempts {
  readonly #files: AcmeFiles;
  readonly #clock: Clock;
  #record: Record;

  private constructor(files: AcmeFiles, clock: Clock, record: Record) {
    this.#files = files;
    this.#clock = clock;
    this.#record = record;
  }

  /** Reads what is kept; what cannot be read counts as nothing. Rejects with DataDirectoryError. */
  static async open(files: AcmeFiles, clock: Clock): Promise<Attempts> {
    const record = recordIn(await files.read(FILE)) ?? NONE;
    const now = clock.now();
    // The clock may have been wrong when it was written.
    const isLater = record.issuedAt !== null && record.issuedAt > now;
    return new Attempts(files, clock, {
      ...record,
      retryAt: Math.min(record.retryAt, now + RESTART_PAUSE_MS),
      askedAt: Math.min(record.askedAt, now + LONGEST_REQUEST_MS),
      issuedAt: isLater ? null : record.issuedAt,
    });
  }

  /** Why the last attempt failed; null if it did not. */
  get reason(): string | null {
    return this.#record.reason;
  }

  /** When the next attempt may be, in milliseconds since the epoch. */
  nextAt(names: readonly string[]): number {
    const { retryAt, askedAt } = this.#record;
    return Math.max(retryAt, askedAt, this.restsUntil(names));
  }

  /** Until when no other certificate is ordered for these names, as one was issued; milliseconds since the epoch. */
  restsUntil(names: readonly string[]): number {
    const { issuedAt, names: former, restMs } = this.#record;
    const isSame = names.length === former.length && names.every((name) => former.includes(name));
    return issuedAt !== null && isSame ? issuedAt + restMs : 0;
  }

  /** @param askedAt before when the authority does not want to be asked again; null if it said nothing */
  async noteFailure(reason: string, askedAt: number | null): Promise<void> {
    const now = this.#clock.now();
    const { failures } = this.#record;
    const pause = Math.min(FIRST_PAUSE_MS * GROWTH ** Math.min(failures, 10), LONGEST_PAUSE_MS);
    await this.#keep({
      ...this.#record,
      failures: failures + 1,
      reason,
      retryAt: now + pause * (1 + JITTER * Math.random()),
      askedAt: Math.min(askedAt ?? 0, now + LONGEST_REQUEST_MS),
    });
  }

  /** @param lifetimeMs of the certificate, in milliseconds */
  async noteIssued(names: readonly string[], lifetimeMs: number): Promise<void> {
    // At most one a day, but one that lives no longer is renewed in time.
    const restMs = Math.min(DAY_MS, lifetimeMs / 2);
    await this.#keep({ ...NONE, issuedAt: this.#clock.now(), names, restMs });
  }

  /** It counts at once, also if it cannot be written. */
  async #keep(record: Record): Promise<void> {
    this.#record = record;
    await this.#files.write(FILE, `${JSON.stringify(record)}\n`);
  }
}

function recordIn(text: string | null): Record | null {
  const found = text === null ? null : parsed(text);
  if (!isRecord(found)) return null;
  const { failures, reason, retryAt, askedAt, issuedAt, names, restMs } = found;
  return {
    failures: numberOf(failures),
    reason: typeof reason === "string" ? reason : null,
    retryAt: numberOf(retryAt),
    askedAt: numberOf(askedAt),
    issuedAt: typeof issuedAt === "number" ? issuedAt : null,
    names: Array.isArray(names) ? names.filter((name) => typeof name === "string") : [],
    restMs: Math.min(numberOf(restMs), DAY_MS),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Somebody has changed it: the attempts begin anew.
    return null;
  }
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value >= 0 ? value : 0;
}
