import { DAY_MS } from "../../domain/time.ts";
import { PROBLEM_KINDS, type ProblemKind } from "../../domain/upkeep/problem.ts";
import type { Parts } from "../parts.ts";
import type { Embedder } from "../search/embedder.ts";
import type { Indexer } from "../search/indexer.ts";
import { Service } from "../service.ts";
import type { Backups } from "./backups.ts";
import type { Certificate } from "./certificate.ts";
import type { Health } from "./health.ts";
import type { Refusals } from "./refusals.ts";

export interface ServerProblem {
  readonly kind: ProblemKind;
  /** Since when, as far as it is known; milliseconds since the epoch. */
  readonly since: number | null;
  /** Of how many things, where it is of some. */
  readonly count: number | null;
  /** What was said of it, by another program or the system. */
  readonly reason: string | null;
}

/** For how long a disabled webhook is told of, in milliseconds: some stay so for ever. */
const TOLD_MS = 7 * DAY_MS;
/** A backup is late after so many intervals without one. */
const LATE = 2;

/** Finds what is wrong with the server now. What is over is not in it any more. */
export class Problems extends Service<
  Pick<Parts, "tables" | "blobs" | "clock"> & {
    health: Health;
    backups: Backups;
    certificate: Certificate | null;
    indexer: Indexer;
    embedder: Embedder;
    refusals: Refusals;
  }
> {
  readonly #startedAt = this.parts.clock.now();

  /** Worst first. Rejects if the database or the disk does not answer. */
  async list(): Promise<ServerProblem[]> {
    const { health, blobs } = this.parts;
    const stopping = await health.problems();
    const isTight = stopping.length === 0 && (await blobs.space.shortage()) > 0;
    const found = [
      // Told with its disks.
      ...stopping.filter((kind) => kind !== "disk_unavailable").map((kind) => problem(kind)),
      ...this.#awayDisks(),
      ...(isTight ? [problem("disk_nearly_full")] : []),
      ...(await this.#formerDisks()),
      ...this.#damage(),
      ...this.#backup(),
      ...this.#certificate(),
      ...this.#background(),
      ...this.#webhooks(),
    ];
    return found.toSorted((a, b) => PROBLEM_KINDS.indexOf(a.kind) - PROBLEM_KINDS.indexOf(b.kind));
  }

  #awayDisks(): ServerProblem[] {
    const away = this.parts.blobs.place.away();
    const reason = away.map(({ root, why }) => `${root}: ${why}`).join("\n");
    return away.length === 0 ? [] : [problem("disk_unavailable", { count: away.length, reason })];
  }

  async #formerDisks(): Promise<ServerProblem[]> {
    const former = (await this.parts.blobs.place.disks()).filter(({ isFormer }) => isFormer);
    const reason = former.map(({ root }) => root).join("\n");
    return former.length === 0 ? [] : [problem("contents_to_move", { count: former.length, reason })];
  }

  #damage(): ServerProblem[] {
    const { damagedContents } = this.parts.tables;
    const count = damagedContents.count();
    return count === 0 ? [] : [problem("contents_damaged", { count, since: damagedContents.since() })];
  }

  #backup(): ServerProblem[] {
    const state = this.parts.backups.state();
    if (state === null) return [];
    const { lastSuccessAt, lastFailureAt, failure, interval } = state;
    if (lastFailureAt !== null) return [problem("backup_failed", { since: lastFailureAt, reason: failure })];
    const since = Math.max(lastSuccessAt ?? 0, this.#startedAt);
    return this.parts.clock.now() - since < LATE * interval
      ? []
      : [problem("backup_late", { since: lastSuccessAt })];
  }

  #certificate(): ServerProblem[] {
    const { certificate } = this.parts;
    if (certificate === null) return [];
    const { failure, renewalFailure } = certificate;
    return [
      ...(certificate.isEnding()
        ? [problem("certificate_ending", { count: Math.max(0, certificate.daysLeft()) })]
        : []),
      ...(failure === null ? [] : [problem("certificate_unusable", failure)]),
      ...(renewalFailure === null ? [] : [problem("certificate_failed", renewalFailure)]),
    ];
  }

  #background(): ServerProblem[] {
    const { indexer, embedder, refusals } = this.parts;
    const { failingSince } = indexer.backlog(0);
    const { failure } = embedder;
    const count = refusals.failedToday();
    return [
      ...(failingSince === null ? [] : [problem("indexing_failed", { since: failingSince })]),
      ...(failure === null ? [] : [problem("embeddings_failed", { since: failure.at, reason: failure.why })]),
      ...(count === 0 ? [] : [problem("requests_failed", { count })]),
    ];
  }

  #webhooks(): ServerProblem[] {
    const { count, last } = this.parts.tables.webhooks.disabledSince(this.parts.clock.now() - TOLD_MS);
    return count === 0 ? [] : [problem("webhooks_disabled", { count, since: last })];
  }
}

function problem(
  kind: ServerProblem["kind"],
  more: Partial<Omit<ServerProblem, "kind">> = {},
): ServerProblem {
  return { kind, since: null, count: null, reason: null, ...more };
}
