import { setImmediate as nextTurn } from "node:timers/promises";
import { openFilesLimit } from "../../process/descriptors.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { type Change, changeNumber, type ChangePosition } from "../../domain/changes/change.ts";
import type { ChangeFilter } from "../../domain/changes/filter.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { instantBefore } from "../../domain/time.ts";
import { CofferError } from "../../domain/errors.ts";
import { STREAM_COMMENT_MS, STREAM_LIMITS, STREAM_WATCH_MS } from "../../domain/limits.ts";
import type { ToldWork, WorksUnderWay } from "../folders/works-under-way.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { holderOf, Slots } from "../slots.ts";
import type { ChangePage } from "./changes.ts";

interface FeedRequest {
  /** Ids or slugs; null for all drives of the caller's own. */
  readonly drives: readonly string[] | null;
  /** Null for the oldest that is kept, or the newest if these come first; `latest` for what comes from now on. */
  readonly position: ChangePosition | "latest" | null;
  /** See `Changes.page`. */
  readonly isSummary?: boolean;
  readonly filter?: ChangeFilter | null;
  /** Only what happened after this position. Default: all that is kept. */
  readonly floor?: ChangePosition | null;
}

interface FeedPageRequest extends FeedRequest {
  readonly limit: number;
  readonly newestFirst: boolean;
}

/** What happens to a stream. Nothing is sent unless its reader asks. */
export interface StreamListener {
  /** There may be something to read. */
  readonly wake: () => void;
  /** Called now and then: to send something if nothing else is, and to see whether the caller may still read. */
  readonly tick: () => void;
  /** The server stops, or the caller may not read any more. */
  readonly end: () => void;
}

/** A reader that goes on from where it was. Keeps no changes. */
export interface FeedStream {
  /**
   * Some changes since the last call, and whether there are more: then call it again. And the newest state of works
   * under way, which are not part of the feed. Throws UNAUTHORIZED and NOT_FOUND once the caller may not read them any
   * more, and GONE.
   */
  readonly read: () => Pick<ChangePage, "changes" | "hasMore"> & {
    readonly works: readonly ToldWork[];
  };
  /** Ends it. Doing so again does nothing. */
  readonly close: () => void;
}

/** How many changes a stream reads at once. */
const AT_ONCE = 100;
/** Of how many streams it is asked whether they may go on, before other requests get a turn. */
const WATCHED_AT_ONCE = 50;
/** Of how many pages a whole one is made, at most. */
const PARTS = 20;

/** What callers may read of the feed, as pages and as streams. */
export class Feed extends Service<
  Pick<Parts, "access" | "changes" | "clock"> & {
    worksUnderWay: WorksUnderWay;
    streamCommentMs?: number | undefined;
  }
> {
  readonly #slots = new Slots({
    // Each takes a descriptor.
    limits: { ...STREAM_LIMITS, all: Math.min(STREAM_LIMITS.all, Math.floor(openFilesLimit() / 2)) },
    noun: "streams of changes",
  });
  /** Each with whether it may go on. */
  readonly #streams = new Map<StreamListener, () => boolean>();
  #timers: readonly NodeJS.Timeout[] = [];
  #isStopped = false;

  /** How many streams are open. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** A page of changes. Where few of them are shown, it may have fewer than there are. Throws NOT_FOUND, GONE. */
  page(caller: Caller, { drives, position, floor = null, ...shown }: FeedPageRequest): ChangePage {
    const { access, changes } = this.parts;
    const seen = this.#drives(caller, drives).map((drive) => ({
      drive: drive.pk,
      prefix: access.prefixOf(caller, drive),
      from: changeNumber(Math.max(access.changesFrom(caller, drive), floor?.number ?? 0)),
    }));
    const start = position === "latest" ? changes.latest() : position;
    return changes.page({ drives: seen, position: start, ...shown });
  }

  /** Like `page`, but looks further for what is shown, with turns of the event loop for other requests in between. */
  async wholePage(caller: Caller, request: FeedPageRequest): Promise<ChangePage> {
    const changes: Change[] = [];
    let { position } = request;
    for (let part = 1; ; part += 1) {
      const page = this.page(caller, { ...request, position, limit: request.limit - changes.length });
      changes.push(...page.changes);
      if (!page.hasMore || changes.length === request.limit || part === PARTS) return { ...page, changes };
      position = page.next;
      await nextTurn();
    }
  }

  /** The position before what happened since a time, or how long ago; see `instantBefore`. Throws VALIDATION_ERROR. */
  since(text: string): ChangePosition | null {
    return this.parts.changes.since(instantBefore("since", text, this.parts.clock.now()));
  }

  /** Throws NOT_FOUND, GONE, RATE_LIMITED, UNAVAILABLE. @param client see `Slots.take` */
  open(caller: Caller, client: string, request: FeedRequest, listener: StreamListener): FeedStream {
    if (this.#isStopped) throw new CofferError("UNAVAILABLE", "The server is shutting down; connect again.");
    const { drives, isSummary = false, filter = null, floor = null } = request;
    const position = request.position === "latest" ? this.parts.changes.latest() : request.position;
    // What cannot be read is refused before the stream begins.
    const forwards = { drives, isSummary, filter, floor, newestFirst: false };
    this.page(caller, { ...forwards, position, limit: 1 });
    const slot = this.#slots.take(holderOf(caller), client);
    const seen = this.#drives(caller, drives);
    const isAll = drives === null && caller.kind === "account";
    const watched = isAll ? { owner: caller.userPk } : new Set(seen.map(({ pk }) => pk));
    const waiting = this.parts.changes.hub.subscribe(watched, listener.wake);
    const named = drives === null ? [] : seen.map(({ id }) => id);
    this.#streams.set(listener, () => this.parts.access.mayGoOn(caller, named));
    if (this.#timers.length === 0) this.#startTimers();
    const close = () => {
      slot[Symbol.dispose]();
      waiting[Symbol.dispose]();
      this.#streams.delete(listener);
      if (this.#streams.size > 0) return;
      for (const timer of this.#timers) clearInterval(timer);
      this.#timers = [];
    };
    let after = position;
    let known: number | null = null;
    return {
      read: () => {
        // It may have lost its access since the stream began.
        this.parts.access.requireValid(caller);
        const page = this.page(caller, { ...forwards, position: after, limit: AT_ONCE });
        after = page.next;
        const { works, number } = this.#news(caller, drives, known);
        known = number;
        return { ...page, works };
      },
      close,
    };
  }

  /** Ends all streams; no more are opened. */
  stop(): void {
    this.#isStopped = true;
    for (const listener of this.#streams.keys()) listener.end();
  }

  #news(caller: Caller, drives: FeedRequest["drives"], number: number | null) {
    // Mostly there is none.
    if (!this.parts.worksUnderWay.hasNews(number)) return { works: [], number };
    const pks = new Set(this.#drives(caller, drives).map(({ pk }) => pk));
    return this.parts.worksUnderWay.news(caller, pks, number);
  }

  #drives(caller: Caller, drives: FeedRequest["drives"]): readonly Drive[] {
    if (drives !== null) return drives.map((each) => this.parts.access.drive(caller, each));
    // Not those that others share with it.
    return this.parts.access
      .drives(caller)
      .filter(({ owner }) => caller.kind === "drive" || owner?.pk === caller.userPk);
  }

  #startTimers(): void {
    const tick = () => {
      for (const listener of this.#streams.keys()) listener.tick();
    };
    this.#timers = [
      setInterval(tick, this.parts.streamCommentMs ?? STREAM_COMMENT_MS).unref(),
      setInterval(() => this.#watch([...this.#streams]), STREAM_WATCH_MS).unref(),
    ];
  }

  /** Ends those whose callers may not read any more: nothing else tells them while nothing happens. */
  #watch(streams: readonly (readonly [StreamListener, () => boolean])[]): void {
    for (const [listener, mayStay] of streams.slice(0, WATCHED_AT_ONCE)) {
      if (this.#streams.has(listener) && !mayStay()) listener.end();
    }
    if (streams.length > WATCHED_AT_ONCE) setImmediate(() => this.#watch(streams.slice(WATCHED_AT_ONCE)));
  }
}
