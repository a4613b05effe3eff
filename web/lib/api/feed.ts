import { useLayoutEffect } from "preact/hooks";
import { inBrowser } from "../browser/base-path.ts";
import { asApiError, ask, call } from "./api.ts";
import type { Change, Work } from "./types.ts";

/** How long changes are collected before they are told, in milliseconds; longer while more and more come. */
const COLLECT_MS = 150;
const COLLECT_BUSY_MS = 800;
/** How long after a refusal it is tried again, in milliseconds. */
const AGAIN_MS = 5000;

const CHANGES = "/v0/changes";

export interface Follower {
  /** In their order, some at a time. */
  readonly onChanges: (changes: readonly Change[]) => void;
  /** Changes were missed: all that is shown may be out of date. */
  readonly onGap: () => void;
  /** The feed was opened, maybe again: it tells all works that are under way. */
  readonly onOpen?: () => void;
  /** A work goes on, or has ended. */
  readonly onWork?: (work: Work) => void;
}

/**
 * Follows the changes of a drive, or of all drives, from now on, while the page is in sight. Hidden, it asks for nothing:
 * a browser has few connections to one server. Back in sight, it goes on where it was.
 */
export class Feed {
  readonly #drive: string | null;
  readonly #follower: Follower;
  readonly #abort = new AbortController();
  #source: EventSource | null = null;
  /** Where to go on; null where that is not known. */
  #cursor: string | null = null;
  #isAsking = false;
  #collected: Change[] = [];
  #telling: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #toldAt = -Infinity;

  /** @param drive its id, or null for all drives */
  constructor(drive: string | null, follower: Follower) {
    this.#drive = drive;
    this.#follower = follower;
    const { signal } = this.#abort;
    document.addEventListener("visibilitychange", () => this.#followWhileVisible(), { signal });
    this.#followWhileVisible();
  }

  close(): void {
    this.#abort.abort();
    this.#pause();
    clearTimeout(this.#telling);
  }

  #followWhileVisible(): void {
    if (document.visibilityState === "visible") void this.#open();
    else this.#pause();
  }

  #pause(): void {
    clearTimeout(this.#again);
    this.#source?.close();
    this.#source = null;
  }

  async #open(): Promise<void> {
    if (this.#source !== null || this.#isAsking) return;
    this.#isAsking = true;
    try {
      // Without a place to begin at, what happens while a connection is lost would be missed.
      const page = await this.#ask(this.#cursor ?? "latest");
      this.#cursor ??= page.next_cursor;
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#refused(error);
      return;
    } finally {
      this.#isAsking = false;
    }
    if (this.#abort.signal.aborted || document.visibilityState !== "visible") return;
    this.#listen(this.#cursor);
  }

  #ask(cursor: string): Promise<{ readonly next_cursor: string }> {
    const query = this.#query({ cursor, limit: "1" });
    return call("GET", `${CHANGES}?${query}`, { signal: this.#abort.signal });
  }

  #query(more: Readonly<Record<string, string>>): URLSearchParams {
    return new URLSearchParams({ ...(this.#drive === null ? {} : { drive_id: this.#drive }), ...more });
  }

  #listen(cursor: string): void {
    const source = new EventSource(inBrowser(`${CHANGES}?${this.#query({ cursor })}`));
    this.#source = source;
    source.addEventListener("message", ({ data, lastEventId }) => {
      this.#cursor = lastEventId;
      this.#collected.push(JSON.parse(data));
      const wait = Math.max(COLLECT_MS, this.#toldAt + COLLECT_BUSY_MS - performance.now());
      this.#telling ??= setTimeout(() => this.#tell(), wait);
    });
    source.addEventListener("open", () => this.#follower.onOpen?.());
    source.addEventListener("work", ({ data }) => this.#follower.onWork?.(JSON.parse(data)));
    source.addEventListener("gone", () => this.#retry(0));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) return this.#retry(AGAIN_MS);
      // The browser tries again by itself. Nobody else may have noticed that the server is away.
      ask("/healthz", { signal: this.#abort.signal }).catch(() => {});
    });
  }

  #tell(): void {
    this.#telling = undefined;
    this.#toldAt = performance.now();
    const changes = this.#collected;
    this.#collected = [];
    this.#follower.onChanges(changes);
  }

  #refused(error: unknown): void {
    const { status } = asApiError(error);
    // There is no such drive any more, or not for whoever looks.
    if (status === 403 || status === 404) return;
    if (status !== 410) return this.#retry(AGAIN_MS);
    this.#cursor = null;
    this.#follower.onGap();
    this.#retry(0);
  }

  #retry(milliseconds: number): void {
    this.#pause();
    if (this.#abort.signal.aborted) return;
    this.#again = setTimeout(() => this.#followWhileVisible(), milliseconds);
  }
}

/** Calls `onChange` after changes of a drive, or of all drives where it is null. */
export function useFeed(drive: string | null, onChange: () => void): void {
  useLayoutEffect(() => {
    const feed = new Feed(drive, { onChanges: onChange, onGap: onChange });
    return () => feed.close();
  }, [drive, onChange]);
}
