import type { UsageMeter } from "../accounts/usage.ts";
import type { Feed } from "../changes/feed.ts";
import type { Parts } from "../parts.ts";
import type { Indexer } from "../search/indexer.ts";
import type { Search } from "../search/search.ts";
import { Service } from "../service.ts";
import type { WebhookSender } from "../webhooks/sender.ts";
import type { Backups } from "./backups.ts";
import type { ContentsSizes } from "./contents-size.ts";
import type { Problems } from "./problems.ts";
import type { Refusals } from "./refusals.ts";
import type { Scrub } from "./scrub.ts";
import type { StoredSizes } from "./stored-sizes.ts";

/** More of what waits, and more sessions, are told as so many: to count them all would take long. */
export const MOST_COUNTED = 10_000;

/** What the server keeps count of, for whoever watches it. Counts and histograms are of the time since the start. */
export type Figures = Awaited<ReturnType<ServerFigures["now"]>>;

/** Puts together what the parts of the server have counted. */
export class ServerFigures extends Service<
  Pick<Parts, "tables" | "blobs" | "clock" | "tracer"> & {
    usage: UsageMeter;
    feed: Feed;
    search: Search;
    indexer: Indexer;
    webhookSender: WebhookSender;
    problems: Problems;
    backups: Backups;
    scrub: Scrub;
    refusals: Refusals;
    contentsSizes: ContentsSizes;
    storedSizes: StoredSizes;
  }
> {
  /** Rejects if the database or the disk does not answer. */
  async now() {
    const { tables, blobs, clock, usage, feed, search, indexer, webhookSender, refusals } = this.parts;
    const { problems, backups, scrub, contentsSizes, storedSizes } = this.parts;
    return {
      bytes: usage.bytes,
      refused: refusals.all,
      writes: tables.writes(),
      databaseSizes: tables.sizes(),
      index: { waiting: indexer.backlog(MOST_COUNTED).waiting, done: indexer.jobsDone },
      searches: search.durations,
      feedStreams: feed.openStreams,
      webhooks: {
        attempts: webhookSender.attempts,
        waiting: tables.webhookDeliveries.pendingInAll(MOST_COUNTED),
      },
      sessions: tables.sessions.count(clock.now(), MOST_COUNTED),
      /** This and the next are null while the first sum is made. */
      stored: await storedSizes.sizes(),
      contents: contentsSizes.size(),
      disks: await blobs.place.disks(),
      /** Null unless contents are in a bucket. */
      bucket: blobs.place.bucketFigures?.() ?? null,
      /** How long it took to sync each content; null unless contents are on disks. */
      contentSyncs: blobs.place.syncs ?? null,
      /** What came of the spans of traces; null if none are recorded. */
      spans: this.parts.tracer?.figures ?? null,
      backups: backups.state(),
      scrub: { isOn: scrub.isOn, ...scrub.status() },
      problems: (await problems.list()).map(({ kind }) => kind),
    };
  }
}
